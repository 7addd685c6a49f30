/** Finds addresses in what people write. Knows no page. */

/**
 * A character of an address: those of RFC 3986 and, beyond ASCII, letters, digits, symbols and hyphens. Not bidi controls, quotes
 * or the full stops of other scripts.
 */
const IN_ADDRESS = String.raw`[\w\-.~:/?#\[\]@!$&'()*+,;=%\u00b7\u2010-\u2013]|(?=[^\0-\x7f])[\p{L}\p{M}\p{N}\p{S}]`;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const MAIL = String.raw`[a-z0-9][\w.%+\-]{0,63}@(?:${LABEL}\.){1,8}[a-z]{2,63}`;

/** In this order: what is part of an address is no mail address. */
const CANDIDATE = new RegExp(String.raw`\bhttps?:\/\/(?:${IN_ADDRESS})+|\bwww\.(?:${IN_ADDRESS})+|\b${MAIL}\b`, 'giu');

/** With no scheme it needs a name and a top-level domain. */
const WWW = /^www\.[^./?#:@]+\.[^/?#:@]*[^./?#:@]/iu;

/** Default-ignorable characters, such as bidi controls, are no part of an address, though some of them count as letters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/**
 * @param {string} text
 * @returns {{ start: number, end: number, href: string }[]} ascending
 */
export function addressesIn(text) {
  const found = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const address = withoutWhatFollows(match[0]);
    const before = text.charAt(match.index - 1);
    const href = /^https?:/i.test(address) ? address : /^www\./i.test(address) ? withScheme(address, before) : mailto(address, before);
    if (href && isAllowed(href)) found.push({ start: match.index, end: match.index + address.length, href });
  }
  return found;
}

const withScheme = (address, before) => (WWW.test(address) && !/[\w.@/-]/.test(before) ? `https://${address}` : null);

/** A dot or a slash before it: part of something else. */
const mailto = (address, before) => (/[\w.%+\-@/:]/.test(before) && before !== ':' ? null : `mailto:${address}`);

/**
 * A stop behind an address ends the sentence. A closing bracket belongs to the address only if it was opened in it, and what
 * follows one that does not is no part of it either.
 */
function withoutWhatFollows(candidate) {
  const invisible = INVISIBLE.exec(candidate)?.index ?? candidate.length;
  let end = 0;
  const open = { ')': 0, ']': 0 };
  for (const character of candidate.slice(0, invisible)) {
    if (character === '(') open[')']++;
    if (character === '[') open[']']++;
    if (character in open && open[character]-- === 0) break;
    end += character.length;
  }
  return candidate.slice(0, end).replace(/[.,:;!?'*_~([\u2010-\u2013]+$/, '');
}

function isAllowed(href) {
  let url;
  try {
    url = new URL(href);
  } catch {
    return false;
  }
  // https://bank.example@evil.example/ reads as one host and leads to another.
  return ['https:', 'http:', 'mailto:'].includes(url.protocol) && !url.username && !url.password;
}

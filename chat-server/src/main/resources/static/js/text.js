/** How texts and people look. Whatever was typed by somebody ends in text nodes, never in markup. */

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/g;

/** The text as nodes: plain text, with http and https addresses as links. */
export function words(text) {
  const nodes = document.createDocumentFragment();
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTrailingPunctuation(match[0]);
    if (!isWebAddress(address)) continue;
    nodes.append(text.slice(end, match.index), link(address));
    end = match.index + address.length;
  }
  nodes.append(text.slice(end));
  return nodes;
}

function link(address) {
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.textContent = address;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  return anchor;
}

/** The full stop after an address ends the sentence; a closing bracket belongs to it only if it was opened in it. */
function withoutTrailingPunctuation(address) {
  let trimmed = address.replace(/[.,:;!?'*_~]+$/, '');
  while (trimmed.endsWith(')') && !trimmed.includes('(')) trimmed = trimmed.slice(0, -1);
  return trimmed;
}

function isWebAddress(address) {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  // https://bank.example@evil.example/ reads as one host and leads to another.
  return (protocol === 'https:' || protocol === 'http:') && !username && !password;
}

/** Gives a person's picture, an initial on a colour of their own. */
export function showAvatar(element, username) {
  element.textContent = username.charAt(0).toUpperCase();
  showColour(element, username);
}

/** The colour goes with the name, since user ids change from tab to tab: one of twelve that can be told apart. */
export function showColour(element, username) {
  let hash = 0;
  for (let i = 0; i < username.length; i++) hash = (Math.imul(hash, 31) + username.charCodeAt(i)) | 0;
  element.style.setProperty('--hue', String(((Math.imul(hash, 0x9e3779b1) >>> 16) % 12) * 30 + 15));
}

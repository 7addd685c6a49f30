/** How texts, times, and people look. Whatever was typed by somebody ends in text nodes, never in markup. */

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/g;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const longDayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

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

/** Sets a time element to the hour, in the reader's zone and manner. */
export function showTime(element, timestamp) {
  const date = new Date(timestamp);
  element.dateTime = date.toISOString();
  element.textContent = clock.format(date);
  element.title = moment.format(date);
}

/** A key that is the same for all times of one local day, and grows with the days. */
export function dayOf(timestamp) {
  const date = new Date(timestamp);
  return date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate();
}

/** Sets a time element to the day: Today, Yesterday, or its date. */
export function showDay(element, timestamp) {
  const date = new Date(timestamp);
  const now = new Date();
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  element.dateTime = date.toISOString();
  if (dayOf(date) === dayOf(now)) element.textContent = 'Today';
  else if (dayOf(date) === dayOf(yesterday)) element.textContent = 'Yesterday';
  else element.textContent = (date.getFullYear() === now.getFullYear() ? longDay : longDayOfYear).format(date);
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

/** "alice", "alice and bob", "alice, bob and 3 others". */
export function enumerate(names, most = 4) {
  const shown = names.length > most ? names.slice(0, most - 1) : names;
  const others = names.length - shown.length;
  const parts = others > 0 ? [...shown, `${others} others`] : shown;
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Protocol version 1 as this page speaks it: addresses, frames, bounds, ids, and what a close code asks for. */

export const SUBPROTOCOL = 'confab.v1';

/** Longest message, in code points: what a reader calls a character, near enough, and what the server counts. */
export const MESSAGE_LIMIT = 500;

/** How many of a room's latest messages a first JOIN asks for. */
const HISTORY = 50;

const ROOM = /^[A-Za-z0-9_-]{1,64}$/;
const USERNAME = /^[A-Za-z0-9]{3,20}$/;

export const isRoom = (room) => ROOM.test(room);
export const isUsername = (name) => USERNAME.test(name);

/** The length of a text in code points: an emoji outside the BMP is one, although JavaScript's length says two. */
export function codePoints(text) {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** What may be sent of a typed text: no surrounding space, none of the control and half characters the server refuses. */
export function sendable(typed) {
  const text = typed.replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '').trim();
  return text.toWellFormed ? text.toWellFormed() : text;
}

/** The room's address on the server that served this page. */
export function chatUrl(room) {
  const url = new URL(`chat/${room}`, document.baseURI);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = '';
  url.hash = '';
  return url.href;
}

/**
 * @param member who joins
 * @param position the last position seen, a decimal string, or null on the first JOIN. Positions pass 2^53: they stay
 *     strings here and are handed back as they came.
 */
export function joinFrame(member, position) {
  const from = position === null ? { history: HISTORY } : { resume: position };
  return frame('JOIN', member, { ...from, stored: true });
}

export const textFrame = (member, messageId, message) => frame('TEXT', member, { message, messageId });
export const leaveFrame = (member) => frame('LEAVE', member, {});
export const membersFrame = (member, limit) => frame('MEMBERS', member, { limit });

function frame(messageType, { userId, username }, rest) {
  return JSON.stringify({ messageType, userId, username, ...rest, timestamp: new Date().toISOString() });
}

/** What a close code asks of a client: 'stay' away, 'backOff', or come back 'atOnce'. */
export function afterClose(code) {
  if (code >= 4000 && code <= 4099) return 'stay';
  if (code >= 4200 && code <= 4299) return 'atOnce';
  return 'backOff';
}

/** A UUIDv7. Not crypto.randomUUID: that one is missing where the page comes over plain HTTP from another machine. */
export function uuidV7(now = Date.now()) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(now / 0x10000));
  view.setUint16(4, now % 0x10000);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

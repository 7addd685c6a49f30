/** The protocol's rules for typed text; the rest is in confab.js, and the longest message in WELCOME. */

/** Longest message of any server, in code points. */
export const LONGEST_MESSAGE = 4000;

/** How many of a room's latest messages a first JOIN asks for. */
export const HISTORY = 50;

/** How many older messages are fetched at a time. */
export const PAGE = 100;

/** Rooms one tab is in; the server's limit is 128. */
export const MOST_ROOMS = 30;

const ROOM = /^[A-Za-z0-9_-]{1,64}$/;
const USERNAME = /^[A-Za-z0-9]{3,20}$/;

const MESSAGE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export const isMessageId = (id) => typeof id === 'string' && MESSAGE_ID.test(id);
export const isRoom = (room) => ROOM.test(room);
export const isUsername = (name) => USERNAME.test(name);

/** White space, and characters that show nothing: the server's rule, with the same cases in docs/reference/schemas/texts.json. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufff9-\ufffb\u{1d159}]*$/u;

export const isBlank = (text) => BLANK.test(text);

/** The length of a text in code points: an emoji outside the BMP is one, although JavaScript's length says two. */
export function codePoints(text) {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A typed text as it is sent: without surrounding space, and without characters that the server rejects. */
export function sendable(typed) {
  const text = typed.replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '').trim();
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

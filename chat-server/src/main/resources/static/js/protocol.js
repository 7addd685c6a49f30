/** What the protocol allows of what people type; the rest of it is in confab.js. */

/** Longest message, in code points: what a reader calls a character, near enough, and what the server counts. */
export const MESSAGE_LIMIT = 500;

/** Longest text that the composer takes, in UTF-16 units: enough to paste something too long and to shorten it. */
export const DRAFT_LIMIT = 4 * MESSAGE_LIMIT;

/** How many of a room's latest messages a first JOIN asks for. */
export const HISTORY = 50;

/** How many older messages are fetched at a time. */
export const PAGE = 100;

/** Rooms one tab is in; the server's limit is 128. */
export const MOST_ROOMS = 30;

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
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/**
 * Blank is a text without a visible character, as the server has it: spaces, controls, default-ignorable characters such as a
 * zero width space or a Hangul filler, and the few others that show nothing. docs/schemas/blank-texts.json has examples.
 */
const BLANK = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]*$/u;

export const isBlank = (text) => BLANK.test(text);

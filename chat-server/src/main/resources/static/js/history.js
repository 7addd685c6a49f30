import { PAGE } from './protocol.js';
import { token } from './token.js';

/** Reads stored messages, page by page backwards: docs/reference/protocol.md, "History over REST". Some servers of this page have no REST. */

/** This server has no REST at this address. */
export class NoHistory extends Error {}

/**
 * @param {string} room
 * @param {bigint} before texts below this position
 * @returns {Promise<{ messages: object[], more: boolean, gap: boolean }>} ascending; whether there are more, and whether some
 *     of the range are lost
 */
export async function olderThan(room, before) {
  const url = new URL(`api/rooms/${room}/messages`, document.baseURI);
  url.search = new URLSearchParams({ before: String(before), limit: String(PAGE), types: 'TEXT' }).toString();
  const answer = await fetch(url, { headers: token() ? { Authorization: `Bearer ${token()}` } : {} });
  if (answer.status === 404) throw new NoHistory();
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const { messages, next, storedThrough, gaps } = await answer.json();
  if (storedThrough === null || BigInt(storedThrough) < before - 1n) throw new Error('not all of it is stored yet');
  return { messages: messages.map(({ message, ...rest }) => ({ ...rest, text: message })), more: next !== null, gap: gaps.length > 0 };
}

import { browserSlot, tabSlot } from './storage.js';
import { isName } from './names.js';
import { MOST_ROOMS, isRoom } from './protocol.js';

const HIGHEST_USER_ID = 100_000;
const ROOMS_REMEMBERED = 6;

const userIdSlot = tabSlot('userId');
const tabName = tabSlot('name');
const lastName = browserSlot('name');
const roomsSlot = browserSlot('rooms');
const joinedSlot = tabSlot('joined');

/** This tab's user id, "1" to "100000". A tab is a person: two tabs of one browser can talk to each other. */
export function userId() {
  let id = userIdSlot.load();
  if (typeof id !== 'string' || !/^[1-9][0-9]{0,5}$/.test(id)) {
    id = String(1 + (crypto.getRandomValues(new Uint32Array(1))[0] % HIGHEST_USER_ID));
    userIdSlot.save(id);
  }
  return id;
}

/** The name used last, in this tab or else in this browser, as it was written; empty if there is none. */
export function name() {
  const kept = tabName.load() ?? lastName.load();
  return typeof kept === 'string' && isName(kept) ? kept : '';
}

export function rename(name) {
  tabName.save(name);
  lastName.save(name);
}

/** Rooms entered from this browser, the latest first. */
export function knownRooms() {
  const rooms = roomsSlot.load();
  return Array.isArray(rooms) ? rooms.filter((room) => typeof room === 'string' && isRoom(room)) : [];
}

/** It does not let us in. */
export function forgetRoom(room) {
  roomsSlot.save(knownRooms().filter((known) => known !== room));
}

export function rememberRoom(room) {
  roomsSlot.save([room, ...knownRooms().filter((known) => known !== room)].slice(0, ROOMS_REMEMBERED));
}

/**
 * Up to where a room was read: `through` is a position, null in a room entered for the first time; `last` the id of the last
 * text read, if there was one.
 *
 * @typedef {{ through: bigint | null, last: string | null }} Read
 */

/**
 * The rooms this tab is in, and up to where each was read.
 *
 * @returns {{ name: string, read: Read }[]}
 */
export function joinedRooms() {
  const rooms = joinedSlot.load();
  if (!Array.isArray(rooms)) return [];
  return rooms
    .filter((room) => typeof room?.name === 'string' && isRoom(room.name))
    .slice(0, MOST_ROOMS)
    .map(({ name, read, last }) => ({
      name,
      read: {
        through: typeof read === 'string' && /^[0-9]{1,19}$/.test(read) ? BigInt(read) : null,
        last: typeof last === 'string' ? last : null,
      },
    }));
}

export function keepJoinedRooms(rooms) {
  joinedSlot.save(rooms.map(({ name, read: { through, last } }) => ({ name, read: through?.toString() ?? null, last })));
}

/** Drafts by room. */
export function draft(room) {
  const text = draftSlot(room).load();
  return typeof text === 'string' ? text : '';
}

/** Returns whether it will be there after a reload. */
export const keepDraft = (room, text) => draftSlot(room).save(text || null);

const draftSlot = (room) => tabSlot(`draft.${room}`);

import { browserSlot, tabSlot } from './storage.js';
import { isRoom, isUsername } from './protocol.js';

const HIGHEST_USER_ID = 100_000;
const ROOMS_REMEMBERED = 6;

const userIdSlot = tabSlot('userId');
const tabName = tabSlot('username');
const lastName = browserSlot('username');
const roomsSlot = browserSlot('rooms');

/** This tab's user id, "1" to "100000". A tab is a person: two tabs of one browser can talk to each other. */
export function userId() {
  let id = userIdSlot.load();
  if (typeof id !== 'string' || !/^[1-9][0-9]{0,5}$/.test(id)) {
    id = String(1 + (crypto.getRandomValues(new Uint32Array(1))[0] % HIGHEST_USER_ID));
    userIdSlot.save(id);
  }
  return id;
}

/** The name used last, in this tab or else in this browser; empty if there is none. */
export function username() {
  const name = tabName.load() ?? lastName.load();
  return typeof name === 'string' && isUsername(name) ? name : '';
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

export function rememberRoom(room) {
  roomsSlot.save([room, ...knownRooms().filter((known) => known !== room)].slice(0, ROOMS_REMEMBERED));
}

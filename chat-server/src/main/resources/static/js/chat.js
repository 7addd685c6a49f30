import { ConfabClient } from '../confab.js';
import { joinedRooms, keepJoinedRooms } from './identity.js';
import { Room } from './room.js';
import { tabArea } from './storage.js';
import { token, tokenHasEnded, tokensWanted } from './token.js';

const TOKEN_EXPIRED = 4003;

/** Minimum interval between writes of the read position. */
const KEEP_MS = 500;

/**
 * All rooms of this tab, over one socket. It remembers them, and what was read of each, over reloads.
 *
 * A tab is a person: what waits in one tab is not sent by another.
 */
export class Chat {
  #me;
  #on;
  #client;
  /** @type {Map<string, Room>} */ #rooms = new Map();
  #closed = false;
  #letIn = false;
  #turnedAway = 0;
  #keeping = 0;

  /**
   * @param {import('./conversation.js').Person} me with a token only what that says
   * @param {import('./room.js').RoomListener & { onState: (state: object) => void, onNoToken: () => void }} on
   *     `onState` of the connection, `onNoToken` if the server wants a token, and ours is none that it takes
   */
  constructor(me, on) {
    this.#me = me;
    this.#on = on;
    this.#client = new ConfabClient(new URL('.', document.baseURI), {
      ...(token() ? { userId: me.userId || undefined } : me), token: token() || undefined, storage: tabArea(),
    });
    this.#client.on('state', (state) => this.#changed(state));
    this.#client.on('error', (error) => this.#failed(error));
    addEventListener('pagehide', () => this.#keep());
  }

  get me() {
    return this.#me;
  }

  /** In the order in which they were entered. */
  get rooms() {
    return [...this.#rooms.values()];
  }

  /** Own texts of all rooms that wait for the connection or an answer. */
  get waiting() {
    return this.rooms.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** How many own texts a reload would lose, as the browser does not keep them. */
  get unkept() {
    return this.rooms.reduce((sum, { unkept }) => sum + unkept, 0);
  }

  room(name) {
    return this.#rooms.get(name);
  }

  /** The room of this name, entered now if it was not before. The first one is where the socket goes. */
  enter(name) {
    let room = this.#rooms.get(name);
    if (!room) {
      const known = joinedRooms().find((joined) => joined.name === name);
      room = new Room(this.#client, name, this.#me, known?.read ?? { through: null, last: null }, this.#on);
      this.#rooms.set(name, room);
      this.keep();
    }
    return room;
  }

  leave(room) {
    this.#rooms.delete(room.name);
    this.#keep();
    room.leave();
  }

  /** Remembers soon what was read. */
  keep() {
    this.#keeping ||= setTimeout(() => this.#keep(), KEEP_MS);
  }

  reconnect() {
    this.#client.connect();
  }

  /** Ends it all; the rooms are remembered. */
  close() {
    this.#keep();
    this.#closed = true;
    for (const room of this.#rooms.values()) room.lost();
    this.#client.close();
  }

  #keep() {
    clearTimeout(this.#keeping);
    this.#keeping = 0;
    if (!this.#closed) keepJoinedRooms(this.rooms);
  }

  #changed({ state, code, reason, retryAt }) {
    if (this.#closed) return;
    if (state !== 'connected') for (const room of this.#rooms.values()) room.lost();
    if (state === 'connected') {
      this.#letIn = true;
      this.#turnedAway = 0;
    }
    if (code === TOKEN_EXPIRED) return this.#on.onNoToken();
    if (retryAt && this.#tokenMayBeWhy) void this.#askWhetherItWasTheToken();
    if (state === 'connected') this.#on.onState({ name: 'joined' });
    else if (state === 'disconnected') this.#on.onState({ name: 'closed', code, reason: reason || `close code ${code}` });
    else this.#on.onState(retryAt === null ? { name: 'connecting' } : { name: 'waiting', until: retryAt });
  }

  #failed({ code, status, message }) {
    if (this.#closed) return;
    if (status === 401) this.#on.onNoToken();
    // That there is no connection is said all the time.
    else if (code !== 'UNREACHABLE') this.#on.onTrouble(message);
  }

  get #tokenMayBeWhy() {
    return !this.#letIn || tokenHasEnded();
  }

  /** A browser does not report a 401. Counts two failures, because a restarting server rejects sockets, too. */
  async #askWhetherItWasTheToken() {
    if ((await tokensWanted()) && this.#tokenMayBeWhy && !this.#closed && ++this.#turnedAway === 2) this.#on.onNoToken();
  }
}

import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { ConfabClient } from '../../confab.js';
import { checkClientFrame, checkServerFrame } from './schemas.js';

globalThis.crypto ??= webcrypto; // Node.js 18 has it only here

/**
 * Time that only moves by `pass`: timers, the clock that never jumps, and the one on the wall, which can be `set`. What
 * is due runs in order, with all microtasks in between.
 */
export class SteppedTime {
  #now = 0;
  #skew = 1_795_222_910_000;
  #timers = new Map();
  #next = 1;
  #real = {};

  install() {
    const real = { setTimeout, clearTimeout, performance, Date };
    this.#real = real;
    const time = this;
    globalThis.setTimeout = (action, delay = 0) => {
      this.#timers.set(this.#next, { at: this.#now + Math.max(0, delay), action });
      return this.#next++;
    };
    globalThis.clearTimeout = (id) => this.#timers.delete(id);
    Object.defineProperty(globalThis, 'performance', { value: { now: () => this.#now }, configurable: true });
    globalThis.Date = class extends real.Date {
      constructor(...given) {
        super(...(given.length ? given : [time.wall]));
      }
      static now() {
        return time.wall;
      }
    };
  }

  uninstall() {
    Object.assign(globalThis, { setTimeout: this.#real.setTimeout, clearTimeout: this.#real.clearTimeout, Date: this.#real.Date });
    Object.defineProperty(globalThis, 'performance', { value: this.#real.performance, configurable: true });
  }

  get wall() {
    return this.#now + this.#skew;
  }

  get now() {
    return this.#now;
  }

  /** Sets the wall clock forward or back. */
  jump(millis) {
    this.#skew += millis;
  }

  /** Lets this much time pass. */
  async pass(millis) {
    const end = this.#now + millis;
    await settled();
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.#now = due[1].at;
      due[1].action();
      await settled();
    }
    this.#now = end;
  }
}

/** All that is due without time passing has happened. */
export async function settled() {
  for (let i = 0; i < 20; i++) await null;
}

/** The server's side of one socket, for a test to play. */
class ScriptedSocket {
  readyState = 0;
  received = [];
  onopen = null;
  onmessage = null;
  onclose = null;
  onerror = null;

  constructor(url, protocols) {
    this.url = url;
    this.protocols = protocols;
  }

  send(data) {
    assert.equal(this.readyState, 1);
    const frame = JSON.parse(data);
    checkClientFrame(frame);
    this.received.push(frame);
    this.hear?.(frame);
  }

  /** By the client. */
  close() {
    this.readyState = 3;
  }

  get isClosed() {
    return this.readyState === 3;
  }

  async open() {
    this.readyState = 1;
    this.onopen?.({});
    await settled();
  }

  /** The server says this, by the protocol. */
  async say(...frames) {
    frames.forEach(checkServerFrame);
    await this.sayUnchecked(...frames);
  }

  async sayUnchecked(...frames) {
    for (const frame of frames) this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
    await settled();
  }

  /** The server, or the network, ends it. */
  async end(code = 1006, reason = '') {
    this.readyState = 3;
    this.onclose?.({ code, reason });
    await settled();
  }

  /** Objects received of this type. */
  of(messageType) {
    return this.received.filter((frame) => frame.messageType === messageType);
  }
}

/** A `localStorage` without a browser. */
export class MapStorage {
  #map = new Map();
  get length() {
    return this.#map.size;
  }
  key(index) {
    return [...this.#map.keys()][index] ?? null;
  }
  getItem(key) {
    return this.#map.get(key) ?? null;
  }
  setItem(key, value) {
    this.#map.set(key, value);
  }
  removeItem(key) {
    this.#map.delete(key);
  }
}

/** A server that says only what a test makes it say, and the time between. */
export class Script {
  time = new SteppedTime();
  sockets = [];
  #clients = [];
  #clock = 100;

  constructor() {
    this.time.install();
  }

  /** A client of this server; what it emits is in `events`. */
  client(options = {}, url = 'ws://confab.test') {
    const { sockets } = this;
    const client = new ConfabClient(url, {
      userId: '42',
      username: 'alice42',
      storage: null,
      fetch: null,
      WebSocket: class extends ScriptedSocket {
        constructor(url, protocols) {
          super(url, protocols);
          sockets.push(this);
        }
      },
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  /** The socket that was opened last. */
  get socket() {
    return this.sockets.at(-1);
  }

  /** Opens the last socket and welcomes all that join on it. */
  async welcome(more = {}) {
    await settled();
    const { socket } = this;
    await socket.open();
    for (const { roomId, resume } of socket.of('JOIN')) await socket.say(this.welcomeTo(roomId, { position: resume ?? '100', ...more }));
    return socket;
  }

  welcomeTo(roomId, more = {}) {
    const limits = { maxFrameBytes: 65536, maxMessageLength: 500, userIds: 'numbers', maxUserId: 100000, usernames: 'required', maxHistory: 500 };
    return { type: 'WELCOME', roomId, serverId: 'one', position: '100', members: 1, pingIntervalMs: 25000, limits, ...more };
  }

  /** The frames that answer a TEXT: the message in the room, then the ACK. */
  accept({ roomId, messageId, userId, username, message }) {
    return [this.messages(roomId, { messageType: 'TEXT', messageId, userId, username, message }), this.ack(roomId, messageId)];
  }

  messages(roomId, ...messages) {
    this.#clock += messages.length;
    return {
      type: 'MESSAGES',
      roomId,
      position: String(this.#clock),
      messages: messages.map((message) => ({ timestamp: this.time.wall, ...message })),
    };
  }

  ack(roomId, ...messageIds) {
    return { type: 'ACK', status: 'accepted', roomId, position: String(this.#clock), timestamp: this.time.wall, messageIds };
  }

  error(code, more = {}) {
    const retryable = ['UNAVAILABLE', 'RATE_LIMITED'].includes(code);
    return { type: 'ERROR', code, number: 100, roomId: null, messageId: null, errors: ['no'], retryable, retryAfterMs: retryable ? 1000 : null, ...more };
  }

  end() {
    for (const client of this.#clients) client.close();
    this.time.uninstall();
  }
}

/** Records further events of these types from an emitter, as `[type, event]`. */
export function recorded(emitter, ...types) {
  const events = [];
  for (const type of types) emitter.on(type, (event) => events.push([type, event]));
  return events;
}

import { SUBPROTOCOL, afterClose, chatUrl, joinFrame, leaveFrame } from './protocol.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 20_000;

/** A session that held this long was a good one: the next failure starts again with the shortest delay. */
const STABLE_MS = 10_000;

const OPEN_TIMEOUT_MS = 10_000;

/** A server with a slow broker may take 30 s for an answer without anything being wrong. */
export const ANSWER_TIMEOUT_MS = 40_000;

/**
 * One member's way into one room, kept open: joins, and when the socket is lost comes back and resumes behind the last
 * position it has seen.
 *
 * States, given to `onState`: `{name: 'connecting'}`, `{name: 'joined'}`, `{name: 'waiting', until}` (epoch
 * milliseconds of the next attempt), `{name: 'closed', reason}` (the server asked us to stay away).
 * Frames, given to `onFrame`, are the server's, parsed, of this room only. `onRefused(errors)` says that the JOIN
 * itself was refused for good.
 */
export class Connection {
  #room;
  #member;
  #on;
  #socket = null;
  #position = null;
  #state = { name: 'closed', reason: '' };
  #failures = 0;
  #joinedAt = 0;
  #timer = 0;
  #ended = new AbortController();

  constructor(room, member, { onState, onFrame, onRefused }) {
    this.#room = room;
    this.#member = member;
    this.#on = { onState, onFrame, onRefused };
    const { signal } = this.#ended;
    addEventListener('online', () => this.#hurry(), { signal });
    // The socket would seem open for minutes. A new one tells: refused at once, or, to a server on this machine, open.
    addEventListener('offline', () => this.joined && this.restart(), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || this.#hurry(), { signal });
    addEventListener('pageshow', (event) => event.persisted && this.restart(), { signal });
  }

  get joined() {
    return this.#state.name === 'joined';
  }

  /** Connects now, whatever was planned: also what a "try now" button does. */
  restart() {
    if (this.#ended.signal.aborted) return;
    this.#drop();
    this.#connect();
  }

  /** Sends one frame, or nothing where there is no session: what matters is sent again by who waits for its ACK. */
  send(frame) {
    if (this.joined && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  /** Leaves the room for good. */
  end() {
    this.send(leaveFrame(this.#member));
    this.#ended.abort();
    this.#drop();
  }

  #connect() {
    const socket = new WebSocket(chatUrl(this.#room), SUBPROTOCOL);
    socket.onopen = () => this.#join();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#socket = socket;
    this.#become({ name: 'connecting' });
    this.#after(OPEN_TIMEOUT_MS, () => this.#lost());
  }

  #join() {
    this.#socket.send(joinFrame(this.#member, this.#position));
    this.#after(ANSWER_TIMEOUT_MS, () => this.#lost());
  }

  #receive(data) {
    const frame = JSON.parse(data);
    if (frame.roomId !== undefined && frame.roomId !== null && frame.roomId !== this.#room) return;
    if (frame.type === 'WELCOME') {
      clearTimeout(this.#timer);
      this.#joinedAt = Date.now();
      this.#become({ name: 'joined' });
    } else if (frame.type === 'ERROR' && this.#state.name === 'connecting') {
      this.#joinRefused(frame);
      return;
    }
    this.#on.onFrame(frame);
    // Last, so that a frame nobody could handle is asked for again. An ACK's position may be an old one.
    if (frame.type === 'WELCOME' || frame.type === 'MESSAGES') this.#position = frame.position;
  }

  #joinRefused({ retryable, retryAfterMs, errors, code }) {
    if (retryable) {
      this.#after((retryAfterMs ?? 1000) + Math.random() * FIRST_DELAY_MS, () => this.#join());
    } else {
      this.#ended.abort();
      this.#drop();
      this.#on.onRefused(errors?.length ? errors : [code]);
    }
  }

  #closed(code, reason) {
    const wasJoined = this.joined;
    this.#drop();
    const wish = afterClose(code);
    if (wish === 'stay') {
      this.#become({ name: 'closed', reason: reason || `close code ${code}` });
    } else if (wish === 'atOnce' && wasJoined && this.#failures === 0) {
      // Counted, and only after a good session: a server that sends us away at every turn must not get a busy loop.
      this.#failures = 1;
      this.#connect();
    } else {
      this.#backOff();
    }
  }

  /** The socket may be half open, and closing it properly would take minutes: leave it behind. */
  #lost() {
    this.#drop();
    this.#backOff();
  }

  #drop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (this.joined && Date.now() - this.#joinedAt > STABLE_MS) this.#failures = 0;
    this.#socket = null;
    this.#state = { name: 'closed', reason: '' };
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  /** Full jitter: a thousand clients that lost one server must not come back in step. */
  #backOff() {
    const ceiling = Math.min(LONGEST_DELAY_MS, 2 * FIRST_DELAY_MS * 2 ** this.#failures++);
    const delay = FIRST_DELAY_MS + Math.random() * (ceiling - FIRST_DELAY_MS);
    this.#become({ name: 'waiting', until: Date.now() + delay });
    this.#after(delay, () => this.#connect());
  }

  #hurry() {
    if (this.#state.name === 'waiting') this.restart();
  }

  #become(state) {
    this.#state = state;
    this.#on.onState(state);
  }

  #after(delayMs, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, delayMs);
  }
}

/**
 * A client of Confab's chat protocol, version 1. No dependencies.
 * Types, explained: confab.d.ts. Guide: docs/guide/client.md.
 */

const SUBPROTOCOL = 'confab.v1';
const ROOM = /^[\w-]{1,64}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 20_000;

/** A session that held this long was a good one: the next failure begins with the shortest delay again. */
const STABLE_MS = 10_000;

/** The client waits no longer than this, even if `Retry-After` says so. */
const LONGEST_RETRY_AFTER_MS = 60_000;

const OPEN_TIMEOUT_MS = 10_000;

/** With a slow log 30 s may pass without anything being wrong. */
const ANSWER_TIMEOUT_MS = 40_000;

/** Grace that the server adds to its ping interval before a silent socket times out; the client does the same. */
const GRACE_MS = 10_000;

/** A token is replaced when this part of its time is over, and not more often than this: clocks differ. */
const REFRESH_AT = 0.8;
const SHORTEST_REFRESH_MS = 10_000;

/** A token this old may be why a socket does not open; for a younger one its issuer is not asked again. */
const FRESH_MS = 60_000;

/** The longest delay that setTimeout takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ids remembered for each room to drop what comes twice: far more than servers' own memory lets through. */
const MOST_SEEN = 10_000;

/**
 * In a small room, a MEMBERS frame follows within 1.25 s if the member who sent LEAVE has another session there. The rest is for
 * a slow network.
 */
const LEFT_AFTER_MS = 3000;

/** Members remembered for each room to tell a second session from a new member: more than rooms have that report each JOIN. */
const MOST_PRESENT = 1000;

/** Time that no clock change moves. */
const now = () => performance.now();

export class ConfabError extends Error {
  constructor(code, message = code, more = {}) {
    super(message);
    this.name = 'ConfabError';
    this.code = code;
    this.retryable = more.retryable ?? false;
    this.retryAfterMs = more.retryAfterMs ?? null;
    this.status = more.status ?? null;
    this.reason = more.reason ?? null;
    this.detail = more.detail ?? null;
  }
}

const errorOfNotStored = () => new ConfabError('NOT_STORED', 'accepted, but the database could not store it');

const errorOf = (frame) => new ConfabError(frame.code, frame.errors?.join('; ') || frame.code, frame);

/** The reaction to a close code: 'stay' closed, 'backOff', or reconnect 'atOnce'. */
function afterClose(code) {
  // 1003, 1007, 1009: the server could not take what we sent, and would meet it again.
  if ((code >= 4000 && code <= 4099) || code === 1003 || code === 1007 || code === 1009) return 'stay';
  return code >= 4200 && code <= 4299 ? 'atOnce' : 'backOff';
}

let lastMillis = 0;
let counter = 0;

/**
 * A UUIDv7 above all earlier ones of this page, so that ids sort as they were made: RFC 9562, 6.2, method 1. Not
 * crypto.randomUUID: that is version 4, and missing where a page comes over plain HTTP.
 */
export function uuidV7() {
  const millis = Date.now();
  if (millis > lastMillis || millis < lastMillis - 60_000) {
    // Also where the clock was put back: ids far in the future would be worse than a break in their order.
    lastMillis = millis;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMillis++;
    counter = 0;
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(lastMillis / 0x10000));
  view.setUint16(4, lastMillis % 0x10000);
  view.setUint16(6, 0x7000 | counter);
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

class Emitter {
  #listeners = new Map();

  on(type, listener) {
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all.add(listener));
    return () => all.delete(listener);
  }

  /** Subclasses only. */
  static emit(emitter, type, event) {
    for (const listener of [...(emitter.#listeners.get(type) ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // An uncaught error, as by EventTarget: a listener does not stop the others.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** An issuer's error page is none: it would be no subprotocol, or too large a frame. */
function checked(token) {
  if (token && !TOKEN.test(token)) throw new TypeError('not fit for a subprotocol');
  return token;
}

/** HTTP statuses of a refused upgrade that another try can change by itself; 401 only where the next token may be another. */
const PASSING = new Set([408, 425, 426, 429]);

/**
 * Why the server refuses the upgrade at this address: a browser is not told, so a plain GET asks. `null` where the server
 * would accept it.
 */
async function refusal(fetch, address, token, signal) {
  const url = address.replace(/^ws/, 'http');
  let answer;
  try {
    const headers = { Accept: 'application/problem+json', ...(token && { Authorization: `Bearer ${token}` }) };
    answer = await fetch(url, { headers, cache: 'no-store', redirect: 'manual', signal });
  } catch {
    const message = `${url} is not reachable, or refuses pages of this origin`;
    return new ConfabError('UNREACHABLE', message, { retryable: true });
  }
  const { status } = answer;
  if (status === 426) return null;
  const problem = (await answer.json().catch(() => null)) ?? {};
  const reason = typeof problem.reason === 'string' ? problem.reason : null;
  const detail = [problem.detail, problem.title, reason].find((text) => typeof text === 'string' && text) ?? null;
  const seconds = Number(answer.headers.get('Retry-After') || NaN);
  const message = reason
    ? `the server refused the connection: ${detail} (HTTP ${status}, ${reason})`
    : `no Confab server answers at ${url}: ${status ? `HTTP ${status}` : 'a redirect'}`;
  return new ConfabError('REFUSED', message, {
    status: status || null,
    reason,
    detail,
    // Only a Confab server's own word is final: a proxy in front of one that restarts says many things.
    retryable: reason === null || status >= 500 || PASSING.has(status),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
  });
}

/** The socket: connects, waits, watches, obeys close codes and renews the token. Knows frames, but no rooms. */
class Connection {
  /** @type {'disconnected' | 'connecting' | 'connected'} */ state = 'disconnected';
  #settings;
  #on;
  #socket = null;
  #opened = false;
  #waits = false;
  #retryAt = 0;
  #attempt = 0;
  #failures = 0;
  #connectedAt = 0;
  #heardAt = 0;
  #token = null;
  #tokenAt = 0;
  #timer = 0;
  #watching = 0;
  #refreshing = 0;
  #listening = null;
  #offered = null; // the token of the present attempt
  #asking = null; // why the upgrade failed
  #toldWhy = ''; // since the last session
  #wouldAccept = 0; // failed upgrades that the server would have accepted

  constructor(settings, on) {
    this.#settings = settings;
    this.#on = on;
  }

  get isOpen() {
    return this.#opened;
  }

  async connect() {
    if (!this.#drop()) return;
    this.#listen();
    const attempt = this.#attempt;
    // A token function may never answer.
    this.#timer = setTimeout(() => this.#tokenFailed('no answer', () => this.lost()), OPEN_TIMEOUT_MS);
    this.#become('connecting');
    if (attempt !== this.#attempt) return;
    const protocols = [SUBPROTOCOL];
    try {
      const token = await this.#validToken('connect');
      this.#offered = token ?? null;
      if (token) protocols.push(`bearer.${token}`);
    } catch (error) {
      if (attempt === this.#attempt) this.#tokenFailed(error, () => this.lost());
      return;
    }
    if (attempt !== this.#attempt) return;
    let socket;
    try {
      socket = new this.#settings.WebSocket(this.#on.address(), protocols);
    } catch ({ message }) {
      // It would throw each time.
      this.disconnect({ reason: message });
      this.#on.error(new ConfabError('ADDRESS', message));
      return;
    }
    socket.onopen = () => {
      this.#opened = true;
      clearTimeout(this.#timer);
      this.#on.open();
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    socket.onerror = () => {}; // close follows
    this.#socket = socket;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.lost(), OPEN_TIMEOUT_MS);
  }

  disconnect(why = { code: 1000, reason: 'closed by this client' }) {
    this.#listening?.abort();
    this.#listening = null;
    this.#forgetWhy();
    this.#drop();
    if (this.state !== 'disconnected') this.#become('disconnected', why);
  }

  /** The socket may be half open, and closing it would take minutes: leave it behind. */
  lost() {
    if (this.#drop()) this.#backOff();
  }

  send(frame) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  /** Checks within some seconds that the server responds. A browser shows no pings, so this sends a request. */
  probe() {
    if (this.state !== 'connected') return;
    const asked = now();
    clearTimeout(this.#watching);
    if (!this.#on.ask()) {
      this.#watch();
      return;
    }
    this.#watching = setTimeout(() => {
      // A server with a slow log does not read on behind a text: then the text's own timeout decides.
      if (this.#heardAt >= asked || this.#on.isBusy()) this.#watch();
      else this.lost();
    }, GRACE_MS);
  }

  #watch() {
    clearTimeout(this.#watching);
    const silence = () => now() - this.#heardAt;
    this.#watching = setTimeout(
      () => (silence() < this.#on.pingInterval() ? this.#watch() : this.probe()),
      Math.max(1000, this.#on.pingInterval() - silence()),
    );
  }

  #receive(data) {
    this.#heardAt = now();
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      this.lost();
      return;
    }
    if (frame.type === 'WELCOME' && this.state === 'connecting') {
      const attempt = this.#attempt;
      this.#connectedAt = this.#heardAt;
      this.#forgetWhy();
      this.#become('connected');
      if (attempt !== this.#attempt) return; // closed by a listener
      this.#watch();
    }
    if (frame.expiresAt && (frame.type === 'WELCOME' || frame.type === 'TOKEN')) this.#refreshBefore(frame.expiresAt);
    this.#on.frame(frame);
  }

  #closed(code, reason) {
    const wasGood = this.state === 'connected';
    const refused = !this.#opened;
    // A browser is not told why there is no socket: the token may be the reason.
    if (code === 4003 || (!this.#opened && now() - this.#tokenAt > FRESH_MS)) this.#token = null;
    if (!this.#drop()) return;
    const renewable = code === 4003 && typeof this.#settings.token === 'function';
    const wish = renewable ? 'atOnce' : afterClose(code);
    if (wish === 'stay') {
      this.disconnect({ code, reason });
    } else if (wish === 'atOnce' && wasGood && this.#failures === 0) {
      // Counted, and only after a good session: a server that sends us away at every turn must not get a busy loop.
      this.#failures = 1;
      this.#wait(Math.random() * FIRST_DELAY_MS, { code, reason });
    } else {
      const attempt = this.#attempt;
      this.#backOff({ code, reason });
      // A listener may have left the last room, or begun the next attempt.
      if (refused && attempt === this.#attempt) void this.#askWhy();
    }
  }

  /** Says once why there is no session, and tries no more where that cannot change by itself. */
  async #askWhy() {
    const { fetch } = this.#settings;
    if (!fetch || this.#asking) return;
    const asking = new AbortController();
    this.#asking = asking;
    const timeout = setTimeout(() => asking.abort(), OPEN_TIMEOUT_MS);
    const offered = this.#offered;
    let why = await refusal(fetch, this.#on.address(), offered, asking.signal);
    clearTimeout(timeout);
    if (this.#asking !== asking) return; // connected, or given up, meanwhile
    this.#asking = null;
    if (why === null) {
      // Once it may have been a server that was just starting.
      if (++this.#wouldAccept < 2) return;
      const message = 'the server would accept the connection, but no WebSocket opens: does a proxy in between pass on the upgrade and the Host header?';
      why = new ConfabError('REFUSED', message, { status: 426, retryable: true });
    }
    if (why.status === 401 && typeof this.#settings.token === 'function') {
      why.retryable = true;
      if (this.#token === offered) this.#token = null;
    }
    const attempt = this.#attempt;
    if (!why.retryable) this.disconnect({ reason: why.message });
    else if (this.#waits && why.retryAfterMs > this.#retryAt - now()) this.#waitLonger(why.retryAfterMs);
    if (why.retryable && attempt !== this.#attempt) return; // a listener has closed the client or reconnected
    const told = `${why.code} ${why.status} ${why.reason}`;
    if (told === this.#toldWhy) return;
    this.#toldWhy = why.retryable ? told : '';
    this.#on.error(why);
  }

  #forgetWhy() {
    this.#asking?.abort();
    this.#asking = null;
    this.#toldWhy = '';
    this.#wouldAccept = 0;
  }

  /** Full jitter: a thousand clients that lost one server must not come back in step. */
  #backOff(why) {
    const ceiling = Math.min(LONGEST_DELAY_MS, 2 * FIRST_DELAY_MS * 2 ** this.#failures++);
    this.#wait(FIRST_DELAY_MS + Math.random() * (ceiling - FIRST_DELAY_MS), why);
  }

  #waitLonger(delayMs) {
    clearTimeout(this.#timer);
    this.#wait(Math.min(delayMs, LONGEST_RETRY_AFTER_MS) + Math.random() * FIRST_DELAY_MS);
  }

  #wait(delayMs, why) {
    this.#waits = true;
    this.#retryAt = now() + delayMs;
    this.#timer = setTimeout(() => this.connect(), delayMs);
    this.#become('connecting', { ...why, retryAt: Date.now() + delayMs });
  }

  /** Ends the attempt. Returns false if a listener has closed the client or reconnected. */
  #drop() {
    const attempt = ++this.#attempt;
    this.#waits = false;
    for (const timer of [this.#timer, this.#watching, this.#refreshing]) clearTimeout(timer);
    if (this.state === 'connected' && now() - this.#connectedAt >= STABLE_MS) this.#failures = 0;
    const socket = this.#socket;
    this.#socket = null;
    this.#opened = false;
    if (!socket) return true;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#on.lost();
    return attempt === this.#attempt;
  }

  #become(state, { code = null, reason = '', retryAt = null } = {}) {
    this.state = state;
    this.#on.state({ state, code, reason, retryAt });
  }

  async #validToken(why) {
    const { token } = this.#settings;
    if (typeof token !== 'function') return checked(token);
    if (this.#token) return this.#token;
    const asked = now();
    const answer = checked(await token(why));
    // One that came too late is for the next socket, unless one that was asked for after it is there.
    if (asked >= this.#tokenAt) {
      this.#token = answer;
      this.#tokenAt = asked;
    }
    return answer;
  }

  #tokenFailed(error, then) {
    this.#token = null;
    then(); // first: who hears of it may close the client
    this.#on.error(new ConfabError('TOKEN', `no token: ${error?.message ?? error}`, { retryable: true }));
  }

  /** A wrong clock of ours makes this early or late: early is bounded, and late ends with 4003 and a new token. */
  #refreshBefore(expiresAt) {
    if (typeof this.#settings.token !== 'function') return;
    const delay = Math.max(SHORTEST_REFRESH_MS, (expiresAt - Date.now()) * REFRESH_AT);
    this.#refreshIn(Math.min(delay, LONGEST_TIMER_MS));
  }

  #refreshIn(delayMs) {
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => this.#refresh(), delayMs);
  }

  async #refresh() {
    const attempt = this.#attempt;
    this.#token = null;
    try {
      const token = await this.#validToken('refresh');
      if (!token) throw new TypeError('none');
      if (attempt === this.#attempt) this.send({ messageType: 'TOKEN', token });
    } catch (error) {
      if (attempt === this.#attempt) this.#tokenFailed(error, () => this.#refreshIn(SHORTEST_REFRESH_MS));
    }
  }

  /** The browser's events about network and page. Other platforms have none. */
  #listen() {
    if (this.#listening || typeof document === 'undefined') return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const hurry = () => {
      if (this.state === 'connected') this.probe();
      else if (this.#waits) this.connect();
    };
    addEventListener('online', hurry, { signal });
    document.addEventListener('visibilitychange', () => document.hidden || hurry(), { signal });
    // The socket would seem open for minutes. A new one is refused at once or, to this machine, open.
    addEventListener('offline', () => this.state === 'connected' && this.connect(), { signal });
    // A page that comes back from there has no socket any more.
    addEventListener(
      'pagehide',
      () => {
        if (!this.#drop()) return;
        this.#waits = true;
        this.#become('connecting');
      },
      { signal },
    );
    addEventListener('pageshow', (event) => event.persisted && this.connect(), { signal });
  }
}

/** Parses stored data; returns null if it is damaged or of another user. */
function entryOf(json) {
  try {
    const { text, writtenAt } = JSON.parse(json);
    return typeof text === 'string' && text && Number.isFinite(writtenAt) ? { text, writtenAt } : null;
  } catch {
    return null;
  }
}

/** One message each under a key of its own, so that tabs do not overwrite each other's. Full or forbidden: nothing is kept. */
class Shelf {
  #storage;
  #prefix;

  constructor(storage, ...names) {
    this.#storage = storage;
    this.#prefix = `confab ${names.join(' ')} `;
  }

  /** Entries of an earlier life, in the order in which they were written. */
  load() {
    const found = [];
    for (const key of this.#keys()) {
      try {
        const messageId = key.slice(this.#prefix.length);
        const entry = UUID.test(messageId) && entryOf(this.#storage.getItem(key));
        if (entry) found.push({ ...entry, messageId });
        else this.remove({ messageId }); // nobody could send it
      } catch {
        // Forbidden since.
      }
    }
    return found.sort((a, b) => a.writtenAt - b.writtenAt || (a.messageId < b.messageId ? -1 : 1));
  }

  #keys() {
    try {
      const keys = Array.from({ length: this.#storage.length }, (none, i) => this.#storage.key(i));
      return keys.filter((key) => key.startsWith(this.#prefix));
    } catch {
      return [];
    }
  }

  put({ messageId, text, writtenAt }) {
    try {
      this.#storage.setItem(this.#prefix + messageId, JSON.stringify({ text, writtenAt }));
      return true;
    } catch {
      return false;
    }
  }

  remove({ messageId }) {
    try {
      this.#storage.removeItem(this.#prefix + messageId);
    } catch {
      // There was none.
    }
  }
}

/**
 * Texts of one room that are not yet accepted, oldest first. Sends `window` texts at a time, by default one, so that they
 * keep their order even if some are lost or rejected. A text keeps its id over every retry.
 */
class Outbox {
  #settings;
  #shelf;
  #on;
  #waiting = new Map();
  #unstored = [];
  #notStored = new Set(); // the server said so before its ACK
  #storedThrough = -1n;
  #open = false;
  #ended = false;
  #progressAt = 0;
  #overdue = 0;
  #held = 0;

  constructor(settings, shelf, on) {
    this.#settings = settings;
    this.#shelf = shelf;
    this.#on = on;
    const old = [];
    for (const entry of shelf.load()) {
      if (Date.now() - entry.writtenAt > settings.queueMaxAgeMs) old.push(entry);
      else this.#waiting.set(entry.messageId, entry);
    }
    // Behind the caller's listeners.
    queueMicrotask(() => this.#failAll(old, new ConfabError('EXPIRED', 'written too long ago')));
  }

  get pending() {
    return Array.from(this.#waiting.values(), ({ messageId, text, writtenAt }) => ({ messageId, text, writtenAt }));
  }

  get isBusy() {
    return this.#open && this.#waiting.size > 0;
  }

  add(text, { until, messageId }) {
    const promise = new Promise((resolve, reject) => {
      if (this.#waiting.has(messageId)) throw new TypeError(`${messageId} is waiting already`);
      if (this.#waiting.size + this.#unstored.length >= this.#settings.queueLimit) {
        reject(new ConfabError('QUEUE_FULL', 'too many messages are waiting', { retryable: true }));
        return;
      }
      const entry = { messageId, text, writtenAt: Date.now(), until, resolve, reject };
      this.#waiting.set(messageId, entry);
      const kept = this.#shelf.put(entry);
      this.#on.queued({ messageId, text, writtenAt: entry.writtenAt, kept });
      this.#pump();
    });
    promise.catch(() => {}); // who only listens to events need not catch it
    return promise;
  }

  /** The session is there: what was under way when the last one was lost goes first, again. */
  open() {
    this.#open = true;
    this.#progressAt = now();
    for (const entry of [...this.#waiting.values()]) {
      entry.sent = false;
      if (entry.heardAt) this.#accept(entry, entry.heardAt);
    }
    this.#pump();
  }

  pause() {
    this.#open = false;
    this.#answered();
    clearTimeout(this.#held);
    this.#held = 0;
  }

  /** Gives up what waits; the shelf keeps it. */
  end(error) {
    this.#ended = true;
    this.pause();
    for (const { reject } of [...this.#waiting.values(), ...this.#unstored]) reject?.(error);
    this.#waiting.clear();
    this.#notStored.clear();
    this.#unstored = [];
  }

  /** Read in the room, so it is accepted. The ACK right behind it has its exact position: only if none comes this one counts. */
  heard(messageId, position, timestamp) {
    const entry = this.#waiting.get(messageId);
    if (entry) Object.assign(entry, { heardAt: position, timestamp });
    return entry !== undefined;
  }

  acknowledged(messageId, position, timestamp) {
    const entry = this.#waiting.get(messageId);
    if (!entry) return;
    entry.timestamp ??= timestamp;
    this.#answered();
    this.#accept(entry, position);
    this.#pump();
  }

  stored(position, notStored) {
    this.#storedThrough = BigInt(position);
    for (const messageId of notStored) if (this.#waiting.has(messageId)) this.#notStored.add(messageId);
    const still = [];
    for (const entry of this.#unstored) {
      const { messageId } = entry;
      if (notStored.includes(messageId)) entry.reject(errorOfNotStored());
      else if (this.#isStored(entry)) entry.resolve({ messageId, position: entry.position });
      else still.push(entry);
    }
    this.#unstored = still;
  }

  refused(frame) {
    const entry = this.#waiting.get(frame.messageId);
    if (!entry) return false;
    const error = errorOf(frame);
    this.#answered();
    if (entry.heardAt) {
      this.#accept(entry, entry.heardAt);
      this.#pump();
    } else if (!error.retryable && frame.code !== 'FORBIDDEN') {
      this.#fail(entry, error);
      this.#pump();
    } else if (error.retryable && now() - Math.max((entry.refusedSince ??= now()), this.#progressAt) < this.#settings.patienceMs) {
      clearTimeout(this.#held);
      const delay = Math.max(200, error.retryAfterMs ?? 1000);
      this.#held = setTimeout(() => {
        this.#held = 0;
        // From this one on, in order: what was behind it may be in already, and is then only acknowledged again.
        for (const waiting of this.#waiting.values()) waiting.sent = false;
        this.#pump();
      }, delay * (1 + Math.random() / 4));
    } else {
      // Later texts would be rejected for the same reason.
      this.#failAll([...this.#waiting.values()], error);
    }
    return true;
  }

  #pump() {
    if (!this.#open || this.#held) return;
    let underWay = 0;
    for (const entry of this.#waiting.values()) {
      if (underWay === this.#settings.window) break;
      if (!entry.sent && [...entry.text].length > this.#on.maxLength()) {
        // The server would refuse it or, beyond the longest frame, close the socket each time.
        this.#fail(entry, new ConfabError('INVALID', `message must be 1 to ${this.#on.maxLength()} characters`));
        continue;
      }
      underWay++;
      if (!entry.sent) this.#on.transmit(entry);
      entry.sent = true;
    }
    if (!this.#open) return; // a listener has left the room or reconnected
    // From the last answer on: who goes on writing must not put it off.
    if (underWay === 0) this.#answered();
    else this.#overdue ||= setTimeout(this.#on.overdue, ANSWER_TIMEOUT_MS);
  }

  #answered() {
    clearTimeout(this.#overdue);
    this.#overdue = 0;
  }

  #isStored({ position }) {
    return BigInt(position) <= this.#storedThrough;
  }

  #accept(entry, position) {
    const isLost = this.#notStored.has(entry.messageId);
    this.#forget(entry);
    this.#progressAt = now();
    const { messageId, timestamp, until, resolve, reject } = entry;
    if (until === 'stored' && isLost) reject(errorOfNotStored());
    else if (until === 'stored' && !this.#isStored({ position })) this.#unstored.push({ ...entry, position });
    else resolve?.({ messageId, position });
    this.#on.accepted({ messageId, position, timestamp });
  }

  /** Until a listener leaves the room: the shelf keeps the rest. */
  #failAll(entries, error) {
    for (const entry of entries) if (!this.#ended) this.#fail(entry, error);
  }

  #fail(entry, error) {
    this.#forget(entry);
    entry.reject?.(error);
    this.#on.failed({ messageId: entry.messageId, text: entry.text, error });
  }

  #forget(entry) {
    this.#waiting.delete(entry.messageId);
    this.#notStored.delete(entry.messageId);
    this.#shelf.remove(entry);
  }
}

/**
 * Turns sessions into people: a person with several sessions joins with the first and leaves with the last.
 *
 * Live, a MEMBERS frame follows the LEAVE of a person who has another session, so a LEAVE waits for it. History has no such
 * frames: there JOINs and LEAVEs are counted.
 */
class Presences {
  #on;
  #known = new Set(); // user ids
  #leaving = new Map(); // userId -> its LEAVE, and the timer that makes it count
  #sessions = null; // userId -> sessions, while the past is read

  /** @param on `joined` and `left` get the message that made it so */
  constructor(on) {
    this.#on = on;
  }

  /** A session begins. @param readsPast whether the past comes first, up to a MEMBERS frame */
  open(readsPast) {
    this.#sessions = readsPast ? new Map() : null;
  }

  joined(event) {
    const { userId } = event;
    const known = this.#known.has(userId);
    this.#sessions?.set(userId, this.#sessionsOf(userId) + 1);
    if (this.#stays(userId) || known) return;
    this.#add(userId);
    this.#on.joined(event);
  }

  left(event) {
    const { userId } = event;
    if (!this.#sessions) {
      this.#stays(userId);
      this.#leaving.set(userId, { event, timer: setTimeout(() => this.#left(userId), LEFT_AFTER_MS) });
    } else if (this.#sessionsOf(userId) > 1) {
      this.#sessions.set(userId, this.#sessionsOf(userId) - 1);
    } else {
      this.#sessions.delete(userId);
      this.#known.delete(userId);
      this.#on.left(event);
    }
  }

  /** A MEMBERS frame that came by itself. Returns whom it names that the events have not. */
  members({ joined, left }) {
    this.#sessions = null;
    for (const { userId } of joined) this.#stays(userId);
    this.settle();
    const isNew = ({ userId }) => !this.#known.has(userId);
    const news = joined.filter(isNew);
    for (const { userId } of joined) this.#add(userId);
    for (const { userId } of left) this.#known.delete(userId);
    return news;
  }

  /** A page of the roster: these are here. */
  roster(members) {
    for (const { userId } of members) {
      this.#stays(userId);
      this.#add(userId);
    }
  }

  /** Forgets the LEAVEs that wait, without an event. */
  end() {
    for (const userId of [...this.#leaving.keys()]) this.#stays(userId);
  }

  /** Emits the LEAVEs that wait: the server will not correct them. */
  settle() {
    for (const userId of [...this.#leaving.keys()]) this.#left(userId);
  }

  #left(userId) {
    const waiting = this.#leaving.get(userId);
    if (!waiting) return; // a listener of the departure before this one has left the room
    this.#stays(userId);
    this.#known.delete(userId);
    this.#on.left(waiting.event);
  }

  /** Forgets a LEAVE that waits. Returns whether there was one. */
  #stays(userId) {
    clearTimeout(this.#leaving.get(userId)?.timer);
    return this.#leaving.delete(userId);
  }

  #sessionsOf(userId) {
    return this.#sessions.get(userId) ?? (this.#known.has(userId) ? 1 : 0);
  }

  #add(userId) {
    this.#known.delete(userId);
    this.#known.add(userId);
    if (this.#known.size > MOST_PRESENT) this.#known.delete(this.#known.values().next().value);
  }
}

/** One use of a room, as {@link ConfabClient#join} gives it: all uses of a room share a membership, which ends with the last. */
class Room extends Emitter {
  #membership;
  #error = null;

  constructor(membership) {
    super();
    this.#membership = membership;
  }

  get name() {
    return this.#membership.name;
  }

  get joined() {
    return !this.#error && this.#membership.joined;
  }

  get position() {
    return this.#membership.position;
  }

  get members() {
    return this.#membership.members;
  }

  get pending() {
    return this.#error ? [] : this.#membership.pending;
  }

  send(text, options) {
    return this.#error ? Promise.reject(this.#error) : this.#membership.send(text, options);
  }

  roster(options) {
    return this.#error ? Promise.reject(this.#error) : this.#membership.roster(options);
  }

  leave() {
    if (!this.#error) this.#membership.leave(this);
  }

  /** For the membership only. */
  static emit(room, type, event) {
    if (room.#error) return;
    if (type === 'closed') room.#error = event;
    Emitter.emit(room, type, event);
  }
}

/** A membership of one room, over all sockets that carry it, for everybody here who has joined it. */
class Membership {
  /** @type {string} */ name;
  joined = false;
  /** @type {string | null} */ position = null;
  members = 0;
  #link;
  #options;
  #outbox;
  #seen = new Set();
  #questions = [];
  #timer = 0;
  #tooFast = 0; // refusals: many rooms would have too many
  #limits = null;
  #opened = null; // the last `open` event
  #error = null;
  #uses = new Set();
  #presences = new Presences({ joined: (event) => this.#emit('joined', event), left: (event) => this.#emit('left', event) });

  /** `link` is what a membership needs of the client, `attach` takes what that needs of it. */
  constructor(name, options, link, attach) {
    this.name = name;
    this.position = options.resume ?? null;
    this.#options = options;
    this.#link = link;
    this.#outbox = new Outbox(link.settings, link.shelf(name), {
      maxLength: () => this.#limits?.maxMessageLength ?? Infinity,
      transmit: ({ messageId, text }) => this.#say('TEXT', { messageId, message: text }),
      overdue: () => link.lost(),
      queued: (event) => this.#emit('queued', event),
      accepted: (event) => this.#emit('accepted', event),
      failed: (event) => this.#emit('failed', event),
    });
    attach({
      room: this,
      use: (options) => this.#use(options),
      join: () => this.#join(),
      receive: (frame) => this.#receive(frame),
      lost: () => this.#lost(),
      end: (error) => this.#end(error),
      ask: () => this.roster({ limit: 1 }).catch(() => {}) !== null,
      isBusy: () => this.#outbox.isBusy,
    });
  }

  get pending() {
    return this.#outbox.pending;
  }

  send(text, { until = 'accepted', messageId } = {}) {
    if (typeof text !== 'string' || !text) return Promise.reject(new TypeError('a message is a string, and not empty'));
    if (until === 'stored' && !this.#options.stored) {
      return Promise.reject(new TypeError('join the room with { stored: true } to be told what is stored'));
    }
    // As the server's answers have it.
    const id = String(messageId ?? uuidV7()).toLowerCase();
    if (!UUID.test(id)) return Promise.reject(new TypeError('a messageId is a UUID of 36 characters'));
    return this.#error ? Promise.reject(this.#error) : this.#outbox.add(text, { until, messageId: id });
  }

  roster({ after, limit } = {}) {
    return new Promise((resolve, reject) => {
      if (!this.joined) throw this.#error ?? new ConfabError('NOT_JOINED', 'not in the room at the moment', { retryable: true });
      const messageId = uuidV7();
      this.#questions.push({ messageId, resolve, reject });
      this.#say('MEMBERS', { messageId, after, limit });
    });
  }

  /** One of its uses ends, and with the last the membership. */
  leave(room) {
    if (this.#uses.size === 1) {
      this.#link.leave(this, this.#sayLeave);
    } else {
      this.#uses.delete(room);
      Room.emit(room, 'closed', new ConfabError('CLOSED', 'the room was left'));
    }
  }

  /** The first of its uses, for who asks which rooms there are. */
  get first() {
    return this.#uses.values().next().value;
  }

  #use({ stored }) {
    if (stored && !this.#options.stored) {
      throw new ConfabError('ALREADY_JOINED', `room ${this.name} is joined without { stored: true }: the first join decides`);
    }
    const room = new Room(this);
    this.#uses.add(room);
    const opened = this.#opened;
    // Behind the caller's listeners, and not where the next `open` is on its way or has come.
    if (this.joined) {
      queueMicrotask(() => {
        const { position, members } = this;
        if (this.joined && opened === this.#opened) Room.emit(room, 'open', { ...opened, position, members });
      });
    }
    return room;
  }

  #emit(type, event) {
    for (const room of [...this.#uses]) Room.emit(room, type, event);
  }

  #sayLeave = (messageId) => this.#say('LEAVE', { messageId });

  #say(messageType, rest) {
    const { userId, username, displayName } = this.#link.settings;
    this.#link.send({ messageType, roomId: this.name, userId, username, displayName, timestamp: new Date().toISOString(), ...rest });
  }

  #join() {
    const { history, stored } = this.#options;
    const say = () => this.#say('JOIN', { ...(this.position ? { resume: this.position } : { history }), stored });
    this.#link.enter(this, say, this.#sayLeave);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#link.lost(), ANSWER_TIMEOUT_MS);
  }

  #lost(error = new ConfabError('DISCONNECTED', 'the connection was lost', { retryable: true })) {
    this.joined = false;
    clearTimeout(this.#timer);
    this.#presences.settle();
    this.#outbox.pause();
    for (const { reject } of this.#questions.splice(0)) reject(error);
  }

  #end(error) {
    this.#presences.end();
    this.#lost(error);
    this.#error = error;
    this.#outbox.end(error);
    this.#emit('closed', error);
  }

  #receive(frame) {
    if (frame.type === 'WELCOME') {
      clearTimeout(this.#timer);
      this.joined = true;
      this.#tooFast = 0;
      this.#limits = frame.limits;
      this.members = frame.members;
      // Of what stands before the welcome MEMBERS says the end, where something was asked for.
      this.#presences.open(this.position !== null || Boolean(this.#options.history));
      this.position = frame.position;
      const { position, members, serverId, limits, you } = frame;
      this.#opened = { position, members, serverId, limits, you };
      this.#emit('open', this.#opened);
      if (this.joined) this.#outbox.open(); // unless a listener has left the room or reconnected
    } else if (frame.type === 'ERROR') {
      this.#refused(frame);
    } else if (this.joined) {
      // Otherwise it belongs to a membership that we have left.
      this.#hear(frame);
    }
  }

  #hear(frame) {
    const { type, position } = frame;
    if (type === 'MESSAGES') {
      for (const message of frame.messages) this.#message(message, position);
      this.position = position;
    } else if (type === 'ACK') {
      // An id's own position if it is alone in its frame; the last one's otherwise.
      for (const messageId of frame.messageIds) this.#outbox.acknowledged(messageId, position, frame.timestamp);
    } else if (type === 'STORED') {
      const { notStored = [] } = frame;
      this.#outbox.stored(position, notStored);
      this.#emit('stored', { position, notStored });
    } else if (type === 'GAP') {
      // A resume after a resume can meet the same gap again.
      if (this.#isNew(`${frame.from} ${frame.to}`)) this.#emit('gap', { from: frame.from, to: frame.to });
    } else if (type === 'MEMBERS') {
      const { members, roster, next, joined, left, more } = frame;
      this.members = members;
      if (roster) {
        this.#presences.roster(roster);
        this.#questions.shift()?.resolve({ members, roster, next });
      } else {
        this.#emit('members', { members, joined: this.#presences.members(frame), left, more });
      }
    }
  }

  #message({ messageType, messageId, userId, username, displayName = username, message, timestamp }, position) {
    const me = this.#link.settings;
    // Anybody may use any id: only with its sender it names a message. Without a userId of ours, ours came first.
    const mayBeOurs = me.userId === undefined || userId === me.userId;
    const isNew = this.#isNew(`${userId} ${messageId}`);
    const pending = mayBeOurs && this.#outbox.heard(messageId, position, timestamp);
    if (this.#error || !isNew) return; // left by a listener, or had before
    // The token may say the name.
    const own = pending || (userId === me.userId && [undefined, username].includes(me.username));
    const event = { messageId, userId, username, displayName, timestamp, position, own };
    if (messageType === 'TEXT') this.#emit('message', { ...event, text: message });
    else if (messageType === 'JOIN') this.#presences.joined(event);
    else if (messageType === 'LEAVE') this.#presences.left(event);
  }

  #refused(frame) {
    const error = errorOf(frame);
    if (frame.code === 'NOT_JOINED' || frame.code === 'ALREADY_JOINED') {
      this.#link.lost(); // we and the server do not mean the same: begin anew
    } else if (frame.messageId) {
      // Our JOINs have none.
      if (!this.#outbox.refused(frame)) this.#unasked(frame.messageId, error);
    } else if (!this.joined && error.retryable) {
      clearTimeout(this.#timer);
      const more = frame.code === 'RATE_LIMITED' ? 2 ** Math.min(4, this.#tooFast++) : 1;
      const delay = Math.max(200, error.retryAfterMs ?? 1000) + Math.random() * FIRST_DELAY_MS;
      this.#timer = setTimeout(() => this.#join(), delay * more);
      this.#emit('error', error);
    } else if (!this.joined || frame.code === 'FORBIDDEN') {
      // Not let in; or in no more, as a new token does not allow the room.
      this.#link.refused(this, error);
    } else {
      this.#emit('error', error);
    }
  }

  /** By its id: a refusal may overtake the answer to an earlier question. */
  #unasked(messageId, error) {
    const index = this.#questions.findIndex((question) => question.messageId === messageId);
    if (index >= 0) this.#questions.splice(index, 1)[0].reject(error);
    this.#emit('error', error);
  }

  #isNew(id) {
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    if (this.#seen.size > MOST_SEEN) this.#seen.delete(this.#seen.values().next().value);
    return true;
  }
}

export class ConfabClient extends Emitter {
  #base;
  #settings;
  #connection;
  #rooms = new Map();
  #entering = new Map(); // the name of a room whose JOIN is not answered -> who asked, and how to say LEAVE
  #leaving = new Map(); // the messageId of a LEAVE -> sends it again under a given one
  #pingIntervalMs = 25_000;

  constructor(url, options = {}) {
    super();
    this.#base = new URL(url);
    if (!this.#base.pathname.endsWith('/')) this.#base.pathname += '/';
    this.#base.protocol = this.#base.protocol.replace(/^http/, 'ws');
    this.#base.search = this.#base.hash = '';
    this.#settings = { queueLimit: 1000, queueMaxAgeMs: 86_400_000, patienceMs: 60_000, window: 1, ...options };
    this.#settings.WebSocket ??= globalThis.WebSocket;
    if (!this.#settings.WebSocket) throw new TypeError('there is no WebSocket here: give one as an option');
    if (this.#settings.fetch === undefined) this.#settings.fetch = globalThis.fetch?.bind(globalThis) ?? null;
    if (this.#settings.storage === undefined) this.#settings.storage = storageOfThePage();
    this.#connection = new Connection(this.#settings, {
      address: () => new URL(`chat/${this.#rooms.keys().next().value}`, this.#base).href,
      open: () => this.#each((port) => port.join()),
      frame: (frame) => this.#receive(frame),
      lost: () => {
        this.#entering.clear();
        this.#leaving.clear();
        this.#each((port) => port.lost());
      },
      state: (event) => Emitter.emit(this, 'state', event),
      error: (error) => Emitter.emit(this, 'error', error),
      ask: () => this.#ports().some(({ room, ask }) => room.joined && ask()),
      isBusy: () => this.#ports().some((port) => port.isBusy()),
      pingInterval: () => this.#pingIntervalMs,
    });
  }

  get state() {
    return this.#connection.state;
  }

  get rooms() {
    return this.#ports().map(({ room }) => room.first);
  }

  join(name, options = {}) {
    if (!ROOM.test(name)) throw new TypeError('a room has 1 to 64 letters, digits, - or _');
    const joined = this.#rooms.get(name);
    if (joined) return joined.use(options);
    const link = {
      settings: this.#settings,
      shelf: (room) => this.#shelf(room),
      send: (frame) => this.#connection.send(frame),
      lost: () => this.#connection.lost(),
      enter: (room, say, sayLeave) => this.#enter(room, say, sayLeave),
      leave: (room, say) => this.#leave(room, say),
      refused: (room, error) => this.#remove(room, error),
    };
    new Membership(name, options, link, (port) => this.#rooms.set(name, port));
    const room = this.#rooms.get(name).use(options);
    // Otherwise it joins when the socket is open.
    if (this.#connection.isOpen) this.#rooms.get(name).join();
    else if (this.state === 'disconnected') this.#connection.connect();
    return room;
  }

  /** Whose texts they are, only a userId says: another token may be another person's, who must not send them. */
  #shelf(room) {
    const { storage, userId } = this.#settings;
    const { host, pathname } = this.#base;
    return new Shelf(userId === undefined ? null : storage, host + pathname.slice(0, -1), userId, room);
  }

  connect() {
    if (this.#rooms.size > 0) this.#connection.connect();
  }

  close() {
    for (const { room } of this.#ports()) this.#remove(room, new ConfabError('CLOSED', 'the client was closed'));
    this.#connection.disconnect();
  }

  #ports() {
    return [...this.#rooms.values()];
  }

  #each(action) {
    this.#ports().forEach(action);
  }

  #receive(frame) {
    if (frame.type === 'WELCOME') this.#pingIntervalMs = frame.pingIntervalMs;
    const port = this.#rooms.get(frame.roomId);
    if (frame.type === 'ACK') frame.messageIds.forEach((messageId) => this.#leaving.delete(messageId));
    const asked = this.#answered(frame);
    if (asked && asked.room !== port?.room) this.#enteredInVain(frame, asked, port);
    else if (port) port.receive(frame);
    else if (frame.type === 'ERROR' && !this.#notLeft(frame)) Emitter.emit(this, 'error', errorOf(frame));
  }

  /** While a JOIN of the same name is not answered, another one would be refused: it follows when that one is. */
  #enter(room, say, sayLeave) {
    if (this.#entering.has(room.name)) return;
    this.#entering.set(room.name, { room, sayLeave });
    say();
  }

  /** Whose JOIN this frame answers, if it does. */
  #answered({ type, roomId, messageId }) {
    if (type !== 'WELCOME' && (type !== 'ERROR' || messageId)) return undefined;
    const asked = this.#entering.get(roomId);
    this.#entering.delete(roomId);
    return asked;
  }

  /** The room was left before the answer; `port` belongs to a later join. */
  #enteredInVain(frame, { room, sayLeave }, port) {
    if (frame.type === 'WELCOME') this.#sayLeave(room.name, sayLeave);
    if (frame.retryable) port?.receive(frame);
    else port?.join();
  }

  /** The last room ends the socket, which says the same as a LEAVE. */
  #leave(room, say) {
    if (this.#rooms.get(room.name)?.room !== room) return;
    if (room.joined && this.#rooms.size > 1) this.#sayLeave(room.name, say);
    this.#remove(room, new ConfabError('CLOSED', 'the room was left'));
  }

  #sayLeave(name, say) {
    const messageId = uuidV7(); // a new one each time: that of a refused LEAVE is used up
    this.#leaving.set(messageId, () => this.#rooms.has(name) || this.#sayLeave(name, say));
    say(messageId);
  }

  #notLeft({ messageId, retryable, retryAfterMs }) {
    const again = this.#leaving.get(messageId);
    if (!again || !retryable) return false;
    setTimeout(() => this.#leaving.delete(messageId) && again(), Math.max(200, retryAfterMs ?? 1000));
    return true;
  }

  #remove(room, error) {
    const port = this.#rooms.get(room.name);
    if (port?.room !== room) return;
    this.#rooms.delete(room.name);
    port.end(error);
    if (this.#rooms.size === 0) this.#connection.disconnect();
  }
}

function storageOfThePage() {
  try {
    return typeof document === 'undefined' ? null : localStorage;
  } catch {
    return null; // forbidden
  }
}

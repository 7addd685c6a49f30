import { meet } from './names.js';
import { dayOf } from './time.js';

/** Entries kept of the open room and of other rooms; older ones are fetched again when the user scrolls to them. */
const MOST_OPEN = 20_000;
const MOST_CLOSED = 500;

/** How far beyond that it may grow, so that not every message moves the whole list. */
const SLACK = 500;

/**
 * @typedef {{ userId: string, username: string, displayName?: string }} Person
 *
 * @typedef {object} TextEntry
 * @property {'text'} kind
 * @property {string} key of an own text its message id; of another's its id below
 * @property {string} id sender and message id: anybody may use any message id
 * @property {Person} author
 * @property {boolean} own
 * @property {string} text
 * @property {number} timestamp milliseconds since 1970
 * @property {number} day local day, see dayOf
 * @property {bigint | null} at its position or a later one, once it has one
 * @property {'sending' | 'accepted' | 'failed' | null} status of an own text
 * @property {boolean} stored
 * @property {boolean} notStored an own text that the database could not store
 * @property {string} reason why it failed
 * @property {boolean} retryable
 * @property {number} version grows with every change of how it looks
 *
 * @typedef {object} PresenceEntry neighbouring comings and goings
 * @property {'presence'} kind
 * @property {string} key
 * @property {Map<string, { first: boolean, last: boolean }>} events by name: whether the first and the last was a coming
 * @property {number} timestamp
 * @property {number} day
 * @property {number} version
 *
 * @typedef {object} GapEntry
 * @property {'gap'} kind
 * @property {string} key
 * @property {number} timestamp
 * @property {number} day
 * @property {number} version
 *
 * @typedef {TextEntry | PresenceEntry | GapEntry} Entry
 */

/**
 * The known entries of one room: messages in the server's order, then own texts that are not accepted yet. The index of an
 * entry stays the same while older entries are added and removed. Independent of the page.
 */
export class Conversation {
  name;
  /** Texts of others since the reader last saw the end. */
  unread = 0;
  /** Whether there may be more unread ones than we were sent. */
  unreadMore = false;
  /** The entry above which it says that what follows is new. @type {string | null} */
  newFrom = null;
  /** State of older entries: 'unknown' until we have joined. @type {'unknown' | 'more' | 'loading' | 'failed' | 'absent' | 'complete'} */
  older = 'unknown';
  /** Older entries are those below this position. @type {bigint | null} */
  olderThan = null;
  #first = 0; // the place of entries[0]
  /** @type {Entry[]} */ #entries = [];
  /** @type {TextEntry[]} */ #waiting = [];
  #ids = new Set();
  #unstored = []; // own accepted entries above #storedThrough
  #storedThrough = -1n;
  #notStored = new Set(); // message ids of own texts
  #keys = 0;
  #open = false;
  #onChange;

  /** @param {string} name @param {() => void} onChange called after anything has changed */
  constructor(name, onChange = () => {}) {
    this.name = name;
    this.#onChange = onChange;
  }

  /** The place of the oldest entry. */
  get first() {
    return this.#first;
  }

  /** The place behind the latest entry, those on their way included. */
  get end() {
    return this.#first + this.#entries.length + this.#waiting.length;
  }

  get isEmpty() {
    return this.end === this.#first;
  }

  get failures() {
    return this.#waiting.filter(({ status }) => status === 'failed').length;
  }

  /** @returns {Entry | undefined} */
  at(place) {
    const index = place - this.#first;
    return this.#entries[index] ?? this.#waiting[index - this.#entries.length];
  }

  /** The place of an entry; -1 if it is not here (any more). */
  placeOf(key) {
    for (let place = this.end - 1; place >= this.#first; place--) if (this.at(place).key === key) return place;
    return -1;
  }

  /** Whether the room is the one that is shown: then more is kept. */
  set open(open) {
    this.#open = open;
    if (!open) this.#trim(0);
  }

  /** An own text on its way. */
  sending(messageId, author, text, writtenAt) {
    this.#waiting.push({ ...this.#text(messageId, author, true, text, writtenAt), status: 'sending' });
    this.#onChange();
  }

  /** @param {'sending' | 'failed'} status with the reason of a failure, and whether the same text may be tried again */
  setStatus(messageId, status, reason = '', retryable = false) {
    const entry = this.#waiting.find(({ key }) => key === messageId);
    if (!entry) return;
    Object.assign(entry, { status, reason, retryable, version: entry.version + 1 });
    this.#onChange();
  }

  /** Takes an own text away that was given up. */
  remove(messageId) {
    this.#take(messageId);
    this.#onChange();
  }

  /** A text in the order of the room: a new entry, or the own one that has arrived. Returns its key; null if it was known. */
  add({ messageId, userId, username, displayName, text, timestamp, own, position }) {
    if (this.#ids.has(idOf(userId, messageId))) return null;
    const waiting = own ? this.#take(messageId) : null;
    const entry = waiting ?? this.#text(messageId, { userId, username, displayName }, own, text, timestamp);
    this.#arrived(entry, timestamp, BigInt(position));
    return entry.key;
  }

  /** An own text is accepted whose place in the order is not known here: it goes behind what is there. */
  accepted(messageId, timestamp, position) {
    const entry = this.#take(messageId);
    if (entry) this.#arrived(entry, timestamp, BigInt(position));
  }

  /** Everything up to this position is stored, but own texts that the database could not store. */
  stored(position, notStored = []) {
    this.#storedThrough = BigInt(position);
    // Before or after the text is accepted or, after a reconnect, taken to be stored.
    for (const messageId of notStored) this.#notStored.add(messageId);
    const named = notStored.length > 0 ? this.#entries.filter(({ key }) => notStored.includes(key)) : [];
    const waiting = this.#unstored;
    this.#unstored = [];
    for (const entry of [...named, ...waiting]) this.#markStored(entry);
    if (named.length > 0 || this.#unstored.length < waiting.length) this.#onChange();
  }

  /** Adds a join or leave. Consecutive ones become one line, so that they do not displace messages. */
  presence(name, came, timestamp) {
    let entry = this.#entries.at(-1);
    if (entry?.kind !== 'presence') {
      entry = { kind: 'presence', key: this.#newKey(), events: new Map(), timestamp, day: this.#dayAfterLast(timestamp), version: 0 };
      this.#append(entry);
    }
    const before = entry.events.get(name);
    entry.events.set(name, { first: before ? before.first : came, last: came });
    entry.version++;
    this.#onChange();
  }

  gap() {
    const { timestamp = Date.now() } = this.#entries.at(-1) ?? {};
    this.#append({ kind: 'gap', key: this.#newKey(), timestamp, day: this.#dayAfterLast(timestamp), version: 0 });
    this.#onChange();
  }

  /**
   * A page of the past, ascending, in front of what is here.
   *
   * @param {{ messageId: string, userId: string, username: string, text: string, timestamp: number, position: string, own: boolean }[]} messages
   * @param {boolean} gap whether something is missing between them and what is here
   */
  addOlder(messages, gap = false) {
    const older = [];
    for (const { messageId, userId, username, displayName, text, timestamp, position, own } of messages) {
      if (this.#ids.has(idOf(userId, messageId))) continue;
      const entry = this.#text(messageId, { userId, username, displayName }, own, text, timestamp);
      entry.at = BigInt(position);
      if (own) Object.assign(entry, { status: 'accepted', stored: true });
      this.#ids.add(entry.id);
      older.push(entry);
    }
    if (gap) older.push({ kind: 'gap', key: this.#newKey(), timestamp: older.at(-1)?.timestamp ?? Date.now(), day: 0, version: 0 });
    // Servers' clocks differ slightly: days never decrease. A gap has the day of the next entry or, at the end, its own.
    let latest = this.#entries[0]?.day ?? dayOf(older.at(-1)?.timestamp);
    for (const entry of [...older].reverse()) latest = entry.day = Math.min(latest, entry.day || latest);
    this.#first -= older.length;
    this.#entries.unshift(...older);
    this.#onChange();
  }

  /** Records a text of another user that is not visible. */
  missed(key, more = false) {
    if (this.unread++ === 0) this.newFrom = key;
    this.unreadMore ||= more;
    this.#onChange();
  }

  /** The reader has seen the end. */
  read() {
    if (this.unread === 0) return;
    this.unread = 0;
    this.unreadMore = false;
    this.#onChange();
  }

  /** Says above `key` that what follows is new, or that nothing is. */
  markNew(key) {
    if (this.newFrom === key) return;
    this.newFrom = key;
    this.#onChange();
  }

  #text(messageId, author, own, text, timestamp) {
    meet(author);
    const id = idOf(author.userId, messageId);
    return {
      kind: 'text', key: own ? messageId : id, id, author, own, text, timestamp, day: dayOf(timestamp), at: null,
      status: null, stored: false, notStored: false, reason: '', retryable: false, version: 0,
    };
  }

  #arrived(entry, timestamp, at) {
    Object.assign(entry, { timestamp, at, day: this.#dayAfterLast(timestamp), reason: '', version: entry.version + 1 });
    if (entry.own) {
      entry.status = 'accepted';
      this.#markStored(entry);
    }
    this.#ids.add(entry.id);
    this.#append(entry);
    this.#onChange();
  }

  #markStored(entry) {
    const notStored = this.#notStored.has(entry.key);
    if (!notStored && entry.at > this.#storedThrough) {
      this.#unstored.push(entry);
      return;
    }
    Object.assign(entry, { notStored, stored: !notStored, version: entry.version + 1 });
  }

  #take(messageId) {
    const index = this.#waiting.findIndex(({ key }) => key === messageId);
    return index < 0 ? null : this.#waiting.splice(index, 1)[0];
  }

  #append(entry) {
    this.#entries.push(entry);
    this.#trim(SLACK);
  }

  /** A day that has begun does not end again, though servers' clocks differ a little. */
  #dayAfterLast(timestamp) {
    return Math.max(dayOf(timestamp), this.#entries.at(-1)?.day ?? 0);
  }

  #trim(slack) {
    const most = this.#open ? MOST_OPEN : MOST_CLOSED;
    if (this.#entries.length <= most + slack) return;
    const dropped = this.#entries.splice(0, this.#entries.length - most);
    this.#first += dropped.length;
    for (const { key, id, at } of dropped) {
      this.#ids.delete(id);
      // Its frame's position may be that of a later message: what is fetched twice is known by its id.
      if (at !== undefined && at !== null) this.olderThan = at + 1n;
      if (key === this.newFrom) this.newFrom = this.unread > 0 ? this.#entries[0].key : null;
    }
    this.older = 'more';
  }

  #newKey() {
    return `${this.name} ${this.#keys++}`;
  }
}

/** A message's id in a room: anybody may use any messageId. */
export function idOf(userId, messageId) {
  return `${userId} ${messageId}`;
}

/**
 * @param {PresenceEntry['events']} events
 * @returns {(string | { name: string })[]} words, and names among them
 */
export function comingsAndGoings(events) {
  const groups = { joined: [], left: [], 'came back': [], 'looked in': [] };
  for (const [name, { first, last }] of events) {
    const deed = first ? (last ? 'joined' : 'looked in') : last ? 'came back' : 'left';
    groups[deed].push(name);
  }
  return Object.entries(groups)
    .filter(([, names]) => names.length > 0)
    .flatMap(([deed, names], i) => [...(i > 0 ? [' · '] : []), ...enumerate(names), ` ${deed}`]);
}

/** "alice", "alice and bob", "alice, bob and 3 others". */
function enumerate(names, most = 4) {
  const shown = (names.length > most ? names.slice(0, most - 1) : names).map((name) => ({ name }));
  const others = names.length - shown.length;
  const parts = others > 0 ? [...shown, `${others} others`] : shown;
  return parts.flatMap((part, i) => (i === 0 ? [part] : [i === parts.length - 1 ? ' and ' : ', ', part]));
}

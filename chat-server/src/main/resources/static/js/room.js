import { Conversation, idOf } from './conversation.js';
import { NoHistory, olderThan } from './history.js';
import { MOST_NAMES, People } from './people.js';
import { nameInText } from './names.js';
import { HISTORY, LONGEST_MESSAGE, isMessageId } from './protocol.js';
import { tabSlot } from './storage.js';

/** Timeout after WELCOME for the server's sign that we have caught up. */
const CATCH_UP_MS = 3000;

/**
 * @typedef {object} RoomListener
 * @property {() => void} onChange something looks different
 * @property {() => void} onPeople the list of members changed
 * @property {(room: Room) => boolean} isSeen whether the reader has the room's end in sight
 * @property {(room: Room, message: import('./conversation.js').Person & { text: string }) => void} onNews a live text of another user
 * @property {(room: Room, reason: string) => void} onFailed an own text was not sent
 * @property {(text: string) => void} onTrouble a fault without a place
 * @property {(room: Room, reason: string) => void} onRefused the room does not let us in
 */

/** A room that we have joined: passes the client's events to its conversation and its list of members. */
export class Room {
  /** @type {Conversation} */ conversation;
  /** @type {People} */ people;
  /** Whether we have caught up once. */
  entered = false;
  /** The longest text, in code points: that of any server until ours has said its own. */
  limit = LONGEST_MESSAGE;
  /** The read position. @type {import('./identity.js').Read} */
  read;
  #me;
  /** @type {RoomListener} */ #on;
  #room;
  #failed = new Map(); // messageId -> what was written, until it is retried or given up
  #kept;
  #taken = false;
  #catchingUp = true;
  #markedNew = false;
  #timer = 0;
  #heard = 0; // messages of all kinds
  #lost = false; // a gap was among them
  #lastText = null; // its id
  #unkept = new Set(); // ids of texts that a reload would lose
  #knowsRead = false; // the last text read in an earlier life was among them

  /**
   * @param {import('../confab.js').ConfabClient} client
   * @param {string} name
   * @param {import('./conversation.js').Person} me
   * @param {import('./identity.js').Read} read in an earlier life
   * @param {RoomListener} on
   */
  constructor(client, name, me, read, on) {
    this.#me = me;
    this.#on = on;
    this.read = read;
    this.conversation = new Conversation(name, on.onChange);
    this.people = new People(me, on.onPeople);
    this.#kept = tabSlot(`failed.${name}.${me.username ?? me.userId}`);
    this.#room = client.join(name, { history: HISTORY, stored: true });
    this.#listen();
    for (const { messageId, text, writtenAt } of this.#room.pending) this.conversation.sending(messageId, me, text, writtenAt);
    for (const entry of keptEntries(this.#kept.load())) {
      this.conversation.sending(entry.messageId, me, entry.text, entry.writtenAt);
      this.#fail(entry, 'Not sent', true);
    }
  }

  get name() {
    return this.conversation.name;
  }

  /** Own texts that wait for the connection or an answer. */
  get waiting() {
    return this.#room.pending.length;
  }

  /** How many of the texts that wait or were not sent a reload would lose. */
  get unkept() {
    return this.#unkept.size;
  }

  /** Returns whether the text was taken. */
  send(text) {
    const taken = this.#offer(text);
    if (taken) this.conversation.markNew(null);
    return taken;
  }

  /** Sends a failed text again. A row shows its buttons up to the next frame: the second press finds nothing. */
  retry(messageId) {
    const failed = this.#failed.get(messageId);
    if (failed) this.#offer(failed.text, { messageId });
  }

  /** Gives a failed text up, and returns it; empty if it was retried or given up before. */
  discard(messageId) {
    const failed = this.#failed.get(messageId);
    if (!failed) return '';
    this.#forget(messageId);
    this.conversation.remove(messageId);
    return failed.text;
  }

  /** The reader has seen the end. */
  seen() {
    if (this.#room.position !== null && this.entered) this.read = { through: BigInt(this.#room.position), last: this.#lastText ?? this.read.last };
    this.conversation.read();
  }

  /** Fetches a page of the past; does nothing while one is on its way, or where there is none. */
  async fetchOlder() {
    const { conversation } = this;
    const before = conversation.olderThan;
    if (before === null || !['more', 'failed'].includes(conversation.older)) return;
    this.#olderIs('loading');
    try {
      const { messages, more, gap } = await olderThan(this.name, before);
      if (before !== conversation.olderThan) {
        this.#olderIs('more'); // meanwhile the oldest were dropped here: these would not fit
        return;
      }
      if (messages.length > 0) conversation.olderThan = BigInt(messages[0].position);
      conversation.older = more ? 'more' : 'complete';
      conversation.addOlder(messages.map((message) => ({ ...message, own: this.#isMine(message) })), gap);
    } catch (error) {
      this.#olderIs(error instanceof NoHistory ? 'absent' : 'failed');
    }
  }

  leave() {
    clearTimeout(this.#timer);
    this.#room.leave();
  }

  /** The connection was lost: what comes after the next WELCOME was missed. */
  lost() {
    clearTimeout(this.#timer);
    this.#catchingUp = true;
    this.#markedNew = false;
  }

  #listen() {
    const { conversation, people } = this;
    const listeners = {
      open: ({ members, position, limits, you }) => {
        this.limit = limits?.maxMessageLength ?? LONGEST_MESSAGE;
        Object.assign(this.#me, you); // a token's names are the server's to say
        people.welcome(members);
        if (!this.entered) conversation.olderThan = BigInt(position) + 1n;
        this.#timer = setTimeout(() => this.#caughtUp(false), CATCH_UP_MS);
      },
      message: (message) => {
        this.#heard++;
        people.spoke(message);
        if (message.own) this.#forget(message.messageId);
        this.#lastText = idOf(message.userId, message.messageId);
        const key = conversation.add(message);
        if (key !== null && !message.own) this.#news(key, message);
        if (!this.entered && this.#lastText === this.read.last) this.#readUpToHere();
      },
      joined: (member) => {
        this.#heard++;
        if (people.joined(member)) conversation.presence(nameInText(member), true, member.timestamp);
      },
      left: (member) => {
        this.#heard++;
        if (people.left(member)) conversation.presence(nameInText(member), false, member.timestamp);
      },
      members: (frame) => {
        // The first one ends what was sent of the past.
        if (this.#catchingUp) this.#caughtUp(true);
        people.told(frame);
      },
      gap: () => {
        this.#lost = true;
        conversation.gap();
      },
      error: ({ message }) => this.#on.onTrouble(message),
      closed: ({ code, message }) => code === 'CLOSED' || this.#on.onRefused(this, message),
      queued: ({ messageId, text, writtenAt, kept }) => {
        this.#taken = true;
        if (!kept) this.#unkept.add(messageId);
        if (this.#forget(messageId)) conversation.setStatus(messageId, 'sending');
        else conversation.sending(messageId, this.#me, text, writtenAt);
      },
      accepted: ({ messageId, timestamp, position }) => {
        this.#unkept.delete(messageId);
        conversation.accepted(messageId, timestamp, position);
      },
      stored: ({ position, notStored }) => conversation.stored(position, notStored),
      failed: ({ messageId, text, error }) => {
        // An old one was not shown as waiting.
        if (error.code === 'EXPIRED') conversation.sending(messageId, this.#me, text, Date.now());
        this.#fail({ messageId, text, writtenAt: Date.now() }, error.message, error.retryable || error.code === 'EXPIRED');
        this.#on.onFailed(this, error.message);
      },
    };
    for (const [type, listener] of Object.entries(listeners)) this.#room.on(type, listener);
  }

  #news(key, message) {
    const { conversation } = this;
    const { through } = this.read;
    const isPast = !this.entered && (through === null || BigInt(message.position) <= through);
    if (isPast) return;
    if (this.#on.isSeen(this)) {
      // Missed messages start here, although they are visible immediately.
      if (this.#catchingUp && !this.#markedNew) conversation.markNew(key);
      this.#markedNew = true;
      if (this.entered) this.read = { through: BigInt(message.position), last: this.#lastText };
    } else {
      conversation.missed(key, !this.entered && !this.#knowsRead && conversation.olderThan > through + 1n);
    }
    if (!this.#catchingUp) this.#on.onNews(this, message);
  }

  /** Marks everything as read before this page was loaded: positions of history are those of its frames, which can end later. */
  #readUpToHere() {
    this.#knowsRead = true;
    this.#markedNew = false;
    this.conversation.read();
    this.conversation.markNew(null);
  }

  async #caughtUp(certain) {
    clearTimeout(this.#timer);
    if (!this.entered) {
      // Fewer than asked for: there are no more.
      this.conversation.older = certain && this.#heard < HISTORY && !this.#lost ? 'complete' : 'more';
      this.entered = true;
      if (this.read.through === null || this.#on.isSeen(this)) this.seen();
    }
    this.#catchingUp = false;
    this.people.caughtUp();
    this.#on.onChange();
    try {
      this.people.listed(await this.#room.roster({ limit: MOST_NAMES }));
    } catch {
      // The connection was lost: the next one asks again.
    }
  }

  #offer(text, options) {
    this.#taken = false;
    this.#room.send(text, options);
    if (!this.#taken) this.#on.onTrouble('Too many messages are waiting for the connection');
    return this.#taken;
  }

  #olderIs(state) {
    this.conversation.older = state;
    this.#on.onChange();
  }

  #isMine({ userId, username }) {
    return userId === this.#me.userId && [undefined, username].includes(this.#me.username);
  }

  #fail(entry, reason, retryable) {
    this.#failed.set(entry.messageId, entry);
    this.#unkept.delete(entry.messageId);
    this.#keep();
    const lost = this.#unkept.has(entry.messageId) ? ' \u00b7 lost when the page is reloaded' : '';
    this.conversation.setStatus(entry.messageId, 'failed', `${reason}${lost}`, retryable);
  }

  /** Returns whether it had failed. */
  #forget(messageId) {
    const had = this.#failed.delete(messageId);
    if (had) {
      this.#unkept.delete(messageId);
      this.#keep();
    }
    return had;
  }

  #keep() {
    const kept = this.#kept.save([...this.#failed.values()]);
    for (const messageId of this.#failed.keys()) {
      if (kept) this.#unkept.delete(messageId);
      else this.#unkept.add(messageId);
    }
  }
}

/** Stored data may be damaged or of another version. */
function keptEntries(found) {
  const isWhole = (entry) =>
    isMessageId(entry?.messageId) && typeof entry.text === 'string' && entry.text && Number.isFinite(entry.writtenAt);
  return Array.isArray(found) ? found.filter(isWhole) : [];
}

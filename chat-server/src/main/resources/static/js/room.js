import { ConfabClient } from '../confab.js';
import { MOST_NAMES, People } from './people.js';
import { HISTORY } from './protocol.js';
import { RoomView } from './room-view.js';
import { tabArea, tabSlot } from './storage.js';
import { token, tokensWanted } from './token.js';

/** Our JOIN comes back within this time after WELCOME, or not at all: very large rooms tell only numbers. */
const CATCH_UP_MS = 3000;

const TOKEN_EXPIRED = 4003;

/** A room the user is in: brings the client's room and the page together. */
export class Room {
  #me;
  #on;
  #catchingUp = 0;
  #client;
  #room;
  #view;
  #people;
  #failed = new Map(); // messageId -> what was written, until it is retried or given up
  #kept;
  #taken = false;
  #left = false;
  #letIn = false;
  #turnedAway = 0;

  /**
   * @param on `onState(state)` of the connection, `onNews(message)` for a text of somebody else, `onEdit(text)` for a
   *     refused text to be put right, `onTrouble(text)` for a fault without a place, `onRefused(errors)` if the room
   *     does not let us in, `onNoToken()` if the server wants a token, and ours is none that it takes
   */
  constructor(name, me, peopleView, on) {
    this.#me = me;
    this.#on = on;
    this.#view = new RoomView({
      onRetry: (messageId) => this.#retry(messageId),
      onEdit: (messageId) => on.onEdit(this.#discard(messageId)),
      onDiscard: (messageId) => this.#discard(messageId),
    });
    this.#people = new People(me, peopleView);
    this.#kept = tabSlot(`failed.${name}.${me.username}`);
    // A tab is a person: what waits in one tab is not sent by another.
    this.#client = new ConfabClient(new URL('.', document.baseURI), {
      ...me,
      token: token() || undefined,
      storage: tabArea(),
    });
    this.#client.on('state', (state) => this.#changed(state));
    this.#client.on('error', ({ message }) => on.onTrouble(message));
    this.#room = this.#client.join(name, { history: HISTORY, stored: true });
    this.#listen();
    for (const { messageId, text, writtenAt } of this.#room.pending) this.#view.sending(messageId, me, text, writtenAt);
    for (const entry of this.#kept.load() ?? []) {
      this.#view.sending(entry.messageId, me, entry.text, entry.writtenAt);
      this.#fail(entry, 'Not sent', true);
    }
  }

  /** Returns whether the text was taken. */
  send(text) {
    this.#taken = false;
    this.#room.send(text);
    if (!this.#taken) this.#on.onTrouble('Too many messages are waiting for the connection');
    return this.#taken;
  }

  reconnect() {
    this.#client.connect();
  }

  leave() {
    this.#left = true;
    clearTimeout(this.#catchingUp);
    this.#client.close();
    this.#view.end();
  }

  #listen() {
    const listeners = {
      open: ({ members }) => {
        this.#people.welcome(members);
        this.#catchingUp = setTimeout(() => this.#caughtUp(), CATCH_UP_MS);
      },
      message: (message) => {
        this.#people.spoke(message);
        this.#forget(message.messageId);
        this.#view.text({ ...message, message: message.text }, message.own, message.position);
        if (!message.own) this.#on.onNews(message);
      },
      joined: (member) => {
        if (this.#people.joined(member)) this.#view.presence(member.username, true, member.timestamp);
        // Our own JOIN ends what was before it.
        if (member.own) this.#caughtUp();
      },
      left: (member) => {
        if (this.#people.left(member)) this.#view.presence(member.username, false, member.timestamp);
      },
      members: (frame) => this.#people.told(frame),
      gap: () => this.#view.gap(),
      error: ({ message }) => this.#on.onTrouble(message),
      closed: ({ code, message }) => code === 'CLOSED' || this.#on.onRefused([message]),
      queued: ({ messageId, text, writtenAt }) => {
        this.#taken = true;
        if (this.#forget(messageId)) this.#view.setStatus(messageId, 'sending');
        else this.#view.sending(messageId, this.#me, text, writtenAt);
      },
      accepted: ({ messageId, timestamp, position }) => this.#view.accepted(messageId, timestamp, position),
      stored: ({ position }) => this.#view.stored(position),
      failed: ({ messageId, text, error }) => {
        // An old one was not shown as waiting.
        if (error.code === 'EXPIRED') this.#view.sending(messageId, this.#me, text, Date.now());
        this.#fail({ messageId, text, writtenAt: Date.now() }, error.message, error.retryable || error.code === 'EXPIRED');
      },
    };
    for (const [type, listener] of Object.entries(listeners)) this.#room.on(type, listener);
  }

  #changed({ state, code, reason, retryAt }) {
    clearTimeout(this.#catchingUp);
    if (this.#left) return;
    if (state === 'connected') this.#letIn = true;
    if (code === TOKEN_EXPIRED) return this.#on.onNoToken();
    if (retryAt && !this.#letIn) void this.#askWhetherItWasTheToken();
    if (state === 'connected') this.#on.onState({ name: 'joined' });
    else if (state === 'disconnected') this.#on.onState({ name: 'closed', reason: reason || `close code ${code}` });
    else this.#on.onState(retryAt === null ? { name: 'connecting' } : { name: 'waiting', until: retryAt });
  }

  /** A browser does not say that it was 401. Twice, as a server that starts again turns away, too. */
  async #askWhetherItWasTheToken() {
    if ((await tokensWanted()) && !this.#letIn && !this.#left && ++this.#turnedAway === 2) this.#on.onNoToken();
  }

  async #caughtUp() {
    clearTimeout(this.#catchingUp);
    this.#people.caughtUp();
    this.#view.ready();
    try {
      this.#people.listed(await this.#room.roster({ limit: MOST_NAMES }));
    } catch {
      // The connection was lost: the next one asks again.
    }
  }

  #fail(entry, reason, retryable) {
    this.#failed.set(entry.messageId, entry);
    this.#keep();
    this.#view.setStatus(entry.messageId, 'failed', reason, retryable);
  }

  #retry(messageId) {
    const { text } = this.#failed.get(messageId);
    this.#room.send(text, { messageId });
  }

  #discard(messageId) {
    const { text } = this.#failed.get(messageId);
    this.#forget(messageId);
    this.#view.remove(messageId);
    return text;
  }

  /** Returns whether it had failed. */
  #forget(messageId) {
    const had = this.#failed.delete(messageId);
    if (had) this.#keep();
    return had;
  }

  #keep() {
    this.#kept.save([...this.#failed.values()]);
  }
}

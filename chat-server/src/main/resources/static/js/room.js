import { Connection } from './connection.js';
import { Outbox } from './outbox.js';
import { MOST_NAMES, People } from './people.js';
import { membersFrame, textFrame } from './protocol.js';
import { RoomView } from './room-view.js';
import { tabSlot } from './storage.js';

/** Message ids remembered to drop what comes twice; far more than a resume brings. */
const MOST_IDS = 20_000;

/** Our JOIN comes back within this time after WELCOME, or not at all: very large rooms tell only numbers. */
const CATCH_UP_MS = 3000;

/** A room the user is in: brings the server's frames, the own unaccepted texts, and the page together. */
export class Room {
  #me;
  #on;
  #seen = new Set();
  #gaps = new Set();
  #catchingUp = 0;
  #view;
  #people;
  #outbox;
  #connection;

  /**
   * @param on `onState(state)` of the connection, `onNews(message)` for a text of somebody else, `onEdit(text)` for a
   *     refused text to be put right, `onTrouble(text)` for a fault without a place, `onRefused(errors)` if the room
   *     does not let us in
   */
  constructor(name, me, peopleView, on) {
    this.#me = me;
    this.#on = on;
    this.#view = new RoomView({
      onRetry: (messageId) => {
        this.#view.setStatus(messageId, 'sending');
        this.#outbox.retry(messageId);
      },
      onEdit: (messageId) => on.onEdit(this.#discard(messageId)),
      onDiscard: (messageId) => this.#discard(messageId),
    });
    this.#people = new People(me, peopleView);
    this.#connection = new Connection(name, me, {
      onState: (state) => this.#changed(state),
      onFrame: (frame) => this.#receive(frame),
      onRefused: on.onRefused,
    });
    this.#outbox = new Outbox(tabSlot(`outbox.${name}.${me.username}`), {
      onQueued: ({ messageId, text, writtenAt }) => this.#view.sending(messageId, me, text, writtenAt),
      transmit: (messageId, text) => this.#connection.send(textFrame(me, messageId, text)),
      onFailed: (messageId, reason, retryable) => this.#view.setStatus(messageId, 'failed', reason, retryable),
      onStalled: () => this.#connection.restart(),
    });
    this.#outbox.restore();
    this.#connection.restart();
  }

  /** Returns whether the text was taken. */
  send(text) {
    if (this.#outbox.full) {
      this.#on.onTrouble('Too many messages are waiting for the connection');
      return false;
    }
    this.#outbox.add(text);
    return true;
  }

  reconnect() {
    this.#connection.restart();
  }

  leave() {
    clearTimeout(this.#catchingUp);
    this.#connection.end();
    this.#outbox.pause();
    this.#view.end();
  }

  #changed(state) {
    clearTimeout(this.#catchingUp);
    if (state.name !== 'joined') this.#outbox.pause();
    this.#on.onState(state);
  }

  #receive(frame) {
    switch (frame.type) {
      case 'WELCOME':
        this.#people.welcome(frame.members);
        this.#catchingUp = setTimeout(() => this.#caughtUp(), CATCH_UP_MS);
        this.#outbox.open();
        break;
      case 'MESSAGES':
        for (const message of frame.messages) this.#message(message, frame.position);
        break;
      case 'ACK':
        for (const messageId of frame.messageIds) {
          this.#outbox.settle(messageId);
          this.#view.accepted(messageId, frame.timestamp, frame.position);
        }
        break;
      case 'STORED':
        this.#view.stored(frame.position);
        break;
      case 'ERROR':
        if (frame.messageId) this.#outbox.refuse(frame);
        else this.#on.onTrouble(frame.errors?.join('; ') || frame.code);
        break;
      case 'GAP':
        this.#gap(frame);
        break;
      case 'MEMBERS':
        if (frame.roster) this.#people.listed(frame);
        else this.#people.told(frame);
        break;
      // A later server may say more than we know.
    }
  }

  #message(message, position) {
    if (!this.#isNew(message.messageId)) return;
    const own = message.userId === this.#me.userId && message.username === this.#me.username;
    switch (message.messageType) {
      case 'TEXT':
        this.#people.spoke(message);
        this.#outbox.settle(message.messageId);
        this.#view.text(message, own, position);
        if (!own) this.#on.onNews(message);
        break;
      case 'JOIN':
        if (this.#people.joined(message)) this.#view.presence(message.username, true, message.timestamp);
        // Our own JOIN ends what was before it.
        if (own) this.#caughtUp();
        break;
      case 'LEAVE':
        if (this.#people.left(message)) this.#view.presence(message.username, false, message.timestamp);
        break;
    }
  }

  #caughtUp() {
    clearTimeout(this.#catchingUp);
    this.#connection.send(membersFrame(this.#me, MOST_NAMES));
    this.#people.caughtUp();
    this.#view.ready();
  }

  #isNew(messageId) {
    if (this.#seen.has(messageId)) return false;
    this.#seen.add(messageId);
    if (this.#seen.size > MOST_IDS) this.#seen.delete(this.#seen.values().next().value);
    return true;
  }

  /** A resume after a resume can meet the same gap again. */
  #gap({ from, to }) {
    const key = `${from} ${to}`;
    if (this.#gaps.has(key)) return;
    this.#gaps.add(key);
    this.#view.gap();
  }

  #discard(messageId) {
    this.#view.remove(messageId);
    return this.#outbox.discard(messageId);
  }
}

import { ANSWER_TIMEOUT_MS } from './connection.js';
import { uuidV7 } from './protocol.js';

/** Texts that may wait at once; a longer queue would only surprise its reader later. */
const CAPACITY = 50;

/** How long refusals that invite a retry are followed by one before the user is asked. */
const PATIENCE_MS = 60_000;

/** Chat servers drop a repeated id for this long; older texts are not sent again unasked. */
const REMEMBERED_MS = 120_000;

/**
 * What the user has written and the server has not yet accepted, oldest first. One text is under way at a time, so the
 * room reads them in the order they were written, whatever is refused or lost in between. A text keeps its id over
 * every retry, and over a reload of the page.
 *
 * `onQueued(entry)` tells of a new entry `{messageId, text, writtenAt}`; `transmit(messageId, text)` sends one;
 * `onFailed(messageId, reason, retryable)` tells that one needs the user; `onStalled()` that an answer is overdue and the
 * connection probably dead.
 */
export class Outbox {
  #waiting = [];
  #failed = new Map();
  #open = false;
  #underWay = false;
  #refusedSince = 0;
  #timer = 0;
  #store;
  #on;

  constructor(store, { onQueued, transmit, onFailed, onStalled }) {
    this.#store = store;
    this.#on = { onQueued, transmit, onFailed, onStalled };
  }

  /** Takes up what an earlier life of this page left. */
  restore() {
    for (const entry of this.#store.load() ?? []) {
      this.#on.onQueued(entry);
      if (Date.now() - entry.writtenAt < REMEMBERED_MS) this.#waiting.push(entry);
      else this.#fail(entry, 'Not sent', true);
    }
  }

  get full() {
    return this.#waiting.length >= CAPACITY;
  }

  /** Queues a new text and sends it as soon as its turn comes. */
  add(text) {
    const entry = { messageId: uuidV7(), text, writtenAt: Date.now() };
    this.#waiting.push(entry);
    this.#save();
    this.#on.onQueued(entry);
    this.#pump();
  }

  /** The session is there: what was under way when the last one was lost goes first, again. */
  open() {
    this.#open = true;
    this.#underWay = false;
    this.#refusedSince = 0;
    this.#pump();
  }

  /** The session is lost. */
  pause() {
    this.#open = false;
    clearTimeout(this.#timer);
  }

  /** The text is in the log: accepted. Harmless for ids that are not ours. */
  settle(messageId) {
    this.#failed.delete(messageId);
    const index = this.#waiting.findIndex((entry) => entry.messageId === messageId);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#save();
    if (index === 0) this.#next();
  }

  /** The server refused a text. */
  refuse({ messageId, errors, code, retryable, retryAfterMs }) {
    if (this.#waiting[0]?.messageId !== messageId) return;
    const now = Date.now();
    this.#refusedSince ||= now;
    const reason = errors?.length ? errors.join('; ') : code;
    if (!retryable) {
      this.#fail(this.#waiting.shift(), reason, false);
      this.#next();
    } else if (now - this.#refusedSince < PATIENCE_MS) {
      this.#after(Math.max(200, retryAfterMs ?? 1000), () => this.#sendFirst());
    } else {
      // What stands behind it would meet the same refusal.
      for (const entry of this.#waiting.splice(0)) this.#fail(entry, reason, true);
      this.#next();
    }
    this.#save();
  }

  /** Sends a failed text again, under its old id. */
  retry(messageId) {
    const entry = this.#failed.get(messageId);
    if (!entry) return;
    this.#failed.delete(messageId);
    this.#waiting.push(entry);
    this.#save();
    this.#pump();
  }

  /** Gives a failed text up, and returns it. */
  discard(messageId) {
    const entry = this.#failed.get(messageId);
    this.#failed.delete(messageId);
    this.#save();
    return entry?.text ?? '';
  }

  #next() {
    clearTimeout(this.#timer);
    this.#underWay = false;
    this.#refusedSince = 0;
    this.#pump();
  }

  #pump() {
    if (this.#open && !this.#underWay && this.#waiting.length > 0) this.#sendFirst();
  }

  #sendFirst() {
    this.#underWay = true;
    this.#after(ANSWER_TIMEOUT_MS, () => this.#on.onStalled());
    const { messageId, text } = this.#waiting[0];
    this.#on.transmit(messageId, text);
  }

  #fail(entry, reason, retryable) {
    this.#failed.set(entry.messageId, entry);
    this.#on.onFailed(entry.messageId, reason, retryable);
  }

  #save() {
    this.#store.save([...this.#failed.values(), ...this.#waiting]);
  }

  #after(delayMs, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, delayMs);
  }
}

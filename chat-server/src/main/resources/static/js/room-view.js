import { dayOf, enumerate, showAvatar, showColour, showDay, showTime, words } from './text.js';

/** Rows kept on the page; older ones go, as long as the reader is at the end. */
const MOST_ROWS = 1000;

/** A line by the same author within this time continues the group. */
const GROUP_MS = 5 * 60_000;

/** This close to the end counts as reading the end. */
const END_PX = 48;

const STATUS_TEXT = { sending: 'Sending', accepted: 'Sent', failed: 'Not sent' };

/**
 * The log of one room: confirmed rows in the order of the server, then the own ones still on their way. `onRetry`,
 * `onEdit` and `onDiscard` get the messageId of a failed row.
 */
export class RoomView {
  #log = document.getElementById('log');
  #rows = document.getElementById('rows');
  #empty = document.getElementById('empty');
  #jump = document.getElementById('jump');
  #jumpText = document.getElementById('jump-text');
  #templates = Object.fromEntries(['text', 'day', 'quiet'].map((name) => [name, document.getElementById(`${name}-row`)]));
  #own = new Map(); // messageId -> row, while not confirmed
  #unstored = []; // own accepted rows with their positions, until the room is stored up to there
  #stored = -1n; // positions pass 2^53
  #facts = new WeakMap(); // row -> {author, timestamp} of a text row, {events} of a presence row
  #firstOwn = null; // where the confirmed rows end
  #lastDay = 0;
  #atEnd = true;
  #unread = 0;
  #ended = new AbortController();

  constructor({ onRetry, onEdit, onDiscard }) {
    const { signal } = this.#ended;
    this.#rows.replaceChildren();
    this.#log.addEventListener('scroll', () => this.#scrolled(), { signal, passive: true });
    this.#jump.addEventListener('click', () => this.toEnd(), { signal });
    this.#rows.addEventListener('click', ({ target }) => {
      const messageId = target.closest('.row')?.dataset.messageId;
      if (target.matches('.retry')) onRetry(messageId);
      else if (target.matches('.edit')) onEdit(messageId);
      else if (target.matches('.discard')) onDiscard(messageId);
    }, { signal });
    // The keyboard of a phone, a growing composer, a turned screen: the end stays in sight.
    const resizing = new ResizeObserver(() => this.#follow());
    resizing.observe(this.#log);
    signal.addEventListener('abort', () => resizing.disconnect());
    this.#log.setAttribute('aria-busy', 'true');
    this.#empty.hidden = true;
    this.toEnd();
  }

  end() {
    this.#ended.abort();
    this.#rows.replaceChildren();
  }

  /** The room is open: from now on rows are news, and an empty log is an empty room. */
  ready() {
    this.#log.setAttribute('aria-busy', 'false');
    this.#empty.hidden = this.#rows.childElementCount > 0;
  }

  /** An own text on its way. */
  sending(messageId, author, text, writtenAt) {
    const row = this.#textRow(messageId, author, true, text, writtenAt);
    this.#own.set(messageId, row);
    this.#rows.append(row);
    this.#firstOwn ??= row;
    this.#group(row);
    this.setStatus(messageId, 'sending');
    this.#empty.hidden = true;
    this.toEnd();
  }

  /** @param status 'sending', or 'failed' with its reason; `retryable` decides between Retry and Edit */
  setStatus(messageId, status, reason = '', retryable = false) {
    const row = this.#own.get(messageId);
    if (!row) return;
    this.#showStatus(row, status);
    row.querySelector('.failure').hidden = status !== 'failed';
    row.querySelector('.reason').textContent = reason;
    row.querySelector('.retry').hidden = !retryable;
    row.querySelector('.edit').hidden = retryable;
    this.#follow();
  }

  /** Takes an own row away that was given up. */
  remove(messageId) {
    const row = this.#own.get(messageId);
    this.#release(row);
    const next = row.nextElementSibling;
    row.remove();
    if (next) this.#group(next);
  }

  /** A text in the order of the room, not above `position`: a new row, or the own one that has arrived. */
  text({ messageId, userId, username, message, timestamp }, own, position) {
    this.#day(timestamp);
    const pending = this.#own.get(messageId);
    if (pending) {
      this.#arrived(pending, timestamp, position);
      return;
    }
    const row = this.#textRow(messageId, { userId, username }, own, message, timestamp);
    if (own) this.#showAccepted(row, position);
    this.#insert(row);
    this.#news(own);
  }

  /** An own text is accepted whose place in the order is not known here: it stays where it is. */
  accepted(messageId, timestamp, position) {
    const row = this.#own.get(messageId);
    if (row) this.#arrived(row, timestamp, position);
  }

  /** Everything up to this position is stored. */
  stored(position) {
    this.#stored = BigInt(position);
    const waiting = this.#unstored;
    this.#unstored = [];
    for (const { row, at } of waiting) this.#showStored(row, at);
  }

  /** Somebody came or went. Neighbouring lines become one, so that a busy door does not push the talk away. */
  presence(username, came, timestamp) {
    this.#day(timestamp);
    let row = this.#lastConfirmed();
    if (!this.#facts.get(row)?.events) {
      row = this.#clone('quiet');
      this.#facts.set(row, { events: new Map() });
      this.#insert(row);
    }
    const { events } = this.#facts.get(row);
    const before = events.get(username);
    events.set(username, { first: before ? before.first : came, last: came });
    row.textContent = comingsAndGoings(events);
    this.#follow();
  }

  gap() {
    const row = this.#clone('quiet');
    row.classList.add('gap');
    row.textContent = 'Some messages could not be recovered here';
    this.#insert(row);
    this.#follow();
  }

  /** Scrolls to the end, and stays there. */
  toEnd() {
    this.#atEnd = true;
    this.#unread = 0;
    this.#jump.hidden = true;
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #arrived(row, timestamp, position) {
    this.#showAccepted(row, position);
    row.querySelector('.failure').hidden = true;
    showTime(row.querySelector('time'), timestamp);
    this.#facts.get(row).timestamp = timestamp;
    this.#release(row);
    const boundary = this.#firstOwn;
    // Moved only if it must: a row that is put in anew is read out anew.
    if (boundary && boundary.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING) {
      const next = row.nextElementSibling;
      this.#rows.insertBefore(row, boundary);
      if (next) this.#group(next);
    }
    this.#group(row);
    if (row.nextElementSibling) this.#group(row.nextElementSibling);
    this.#prune();
    this.#follow();
  }

  /** The row no longer belongs to those on their way; the boundary is the first that still does. */
  #release(row) {
    this.#own.delete(row.dataset.messageId);
    if (row !== this.#firstOwn) return;
    do this.#firstOwn = this.#firstOwn.nextElementSibling;
    while (this.#firstOwn && !this.#own.has(this.#firstOwn.dataset.messageId));
  }

  #insert(row) {
    this.#rows.insertBefore(row, this.#firstOwn);
    this.#group(row);
    if (this.#firstOwn) this.#group(this.#firstOwn);
    this.#empty.hidden = true;
    this.#prune();
  }

  #day(timestamp) {
    const day = dayOf(timestamp);
    // Servers' clocks differ a little; a day that has begun does not end again.
    if (day <= this.#lastDay) return;
    this.#lastDay = day;
    for (const { firstElementChild: time } of this.#rows.querySelectorAll('.day')) showDay(time, Date.parse(time.dateTime));
    const row = this.#clone('day');
    showDay(row.firstElementChild, timestamp);
    this.#insert(row);
  }

  #textRow(messageId, author, own, text, timestamp) {
    const row = this.#clone('text');
    this.#facts.set(row, { author: `${author.userId} ${author.username}`, timestamp });
    row.dataset.messageId = messageId;
    row.classList.toggle('own', own);
    showAvatar(row.querySelector('.avatar'), author.username);
    const name = row.querySelector('.author');
    name.textContent = own ? 'You' : author.username;
    showColour(name, author.username);
    row.querySelector('.words').append(words(text));
    showTime(row.querySelector('time'), timestamp);
    return row;
  }

  #showStatus(row, status) {
    row.dataset.status = status;
    const icon = row.querySelector('.status');
    icon.removeAttribute('hidden');
    icon.firstElementChild.setAttribute('href', `#icon-${status}`);
    row.querySelector('.status-text').textContent = STATUS_TEXT[status];
  }

  #showAccepted(row, position) {
    this.#showStatus(row, 'accepted');
    this.#showStored(row, BigInt(position));
  }

  #showStored(row, at) {
    if (at > this.#stored) {
      this.#unstored.push({ row, at });
      return;
    }
    row.dataset.stored = 'true';
    row.querySelector('.status').firstElementChild.setAttribute('href', '#icon-stored');
    row.querySelector('.status-text').textContent = 'Sent and stored';
  }

  /** Whether a row begins a group depends on the one above it. */
  #group(row) {
    const facts = this.#facts.get(row);
    if (!facts?.author) return;
    const above = this.#facts.get(row.previousElementSibling ?? row);
    const continues =
      row.previousElementSibling !== null &&
      above?.author === facts.author &&
      facts.timestamp - above.timestamp < GROUP_MS &&
      dayOf(facts.timestamp) === dayOf(above.timestamp);
    row.classList.toggle('continues', continues);
  }

  #lastConfirmed() {
    return this.#firstOwn ? this.#firstOwn.previousElementSibling : this.#rows.lastElementChild;
  }

  #news(own) {
    if (this.#atEnd) {
      this.#follow();
    } else if (!own) {
      this.#unread++;
      this.#jumpText.textContent = this.#unread === 1 ? '1 new message' : `${this.#unread} new messages`;
      this.#jump.hidden = false;
    }
  }

  #follow() {
    if (this.#atEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < END_PX;
    if (this.#atEnd) {
      this.#unread = 0;
      this.#jump.hidden = true;
    } else if (this.#jump.hidden) {
      this.#jumpText.textContent = 'Latest';
      this.#jump.hidden = false;
    }
  }

  #prune() {
    if (!this.#atEnd) return;
    while (this.#rows.childElementCount > MOST_ROWS && this.#rows.firstElementChild !== this.#firstOwn) {
      this.#rows.firstElementChild.remove();
    }
    this.#group(this.#rows.firstElementChild);
  }

  #clone(name) {
    return this.#templates[name].content.firstElementChild.cloneNode(true);
  }
}

function comingsAndGoings(events) {
  const groups = { joined: [], left: [], 'came back': [], 'looked in': [] };
  for (const [username, { first, last }] of events) {
    const deed = first ? (last ? 'joined' : 'looked in') : last ? 'came back' : 'left';
    groups[deed].push(username);
  }
  return Object.entries(groups)
    .filter(([, names]) => names.length > 0)
    .map(([deed, names]) => `${enumerate(names)} ${deed}`)
    .join(' · ');
}

import { comingsAndGoings } from './conversation.js';
import { drawn } from './guard.js';
import { markOf, shownName, showName } from './names.js';
import { showAvatar, showColour, words } from './text.js';
import { dayOf, showDay, showTime } from './time.js';

/** The key of the row that says that what follows is new. */
export const NEW_ROW = 'new';

/** The key of an entry's own row. */
export const entryRow = (key) => `entry ${key}`;

/** A line by the same author within this time continues the group. */
const GROUP_MS = 5 * 60_000;

/** No text may say "read": the page does not know that. */
const STATUS_TEXT = { sending: 'Sending', accepted: 'Sent', stored: 'Sent, and saved in the history', notStored: 'Sent, but not saved in the history', failed: 'Not sent' };

/**
 * @typedef {object} Row
 * @property {string} key
 * @property {'text' | 'day' | 'new' | 'quiet'} kind which template
 * @property {string} look the same as long as it looks the same
 * @property {(element: HTMLElement, fresh: boolean) => void} dress makes an element look so
 * @property {string} [messageId] of the entry, in its own row
 */

/**
 * The rows of one entry, which depend on the one above it.
 *
 * @param {import('./conversation.js').Entry} entry
 * @param {import('./conversation.js').Entry | null} above
 * @param {boolean} isNew whether what follows is new
 * @returns {Row[]}
 */
export function rowsOf(entry, above, isNew) {
  return drawn(
    () => wholeRowsOf(entry, above, isNew),
    () => [{ key: entryRow(entry.key), kind: 'quiet', look: `broken ${entry.version}`, dress: (element) => dressBroken(element, entry.key) }],
  );
}

/** Replaces a row that could not be drawn. */
export function dressBroken(element, messageId) {
  if (messageId) element.dataset.messageId = messageId;
  element.textContent = 'This message cannot be shown';
}

function wholeRowsOf(entry, above, isNew) {
  const rows = [];
  const { day } = entry;
  if (day !== above?.day) {
    // Today is Yesterday when the night is over.
    rows.push({ key: `day ${day}`, kind: 'day', look: String(dayOf(Date.now())), dress: (element) => showDay(element.firstElementChild, day) });
  }
  if (isNew) rows.push({ key: NEW_ROW, kind: 'new', look: '', dress: () => {} });
  const key = entryRow(entry.key);
  if (entry.kind === 'text') {
    const continues = !isNew && continuesGroup(entry, above);
    rows.push({ key, messageId: entry.key, kind: 'text', look: `${entry.version} ${continues} ${markOf(entry.author)}`, dress: (element, fresh) => dressText(element, entry, continues, fresh) });
  } else {
    rows.push({ key, messageId: entry.key, kind: 'quiet', look: String(entry.version), dress: (element) => dressQuiet(element, entry) });
  }
  return rows;
}

function continuesGroup(entry, above) {
  return (
    above?.kind === 'text' &&
    above.author.userId === entry.author.userId &&
    shownName(above.author) === shownName(entry.author) &&
    above.day === entry.day &&
    entry.timestamp - above.timestamp < GROUP_MS
  );
}

function dressText(row, entry, continues, fresh) {
  const find = (selector) => row.querySelector(selector);
  if (fresh) {
    row.dataset.messageId = entry.key;
    row.classList.toggle('own', entry.own);
    showAvatar(find('.avatar'), shownName(entry.author));
    showColour(find('.author'), shownName(entry.author));
    find('.words').append(words(entry.text));
  }
  showName(find('.author'), find('.namesake'), entry.author, entry.own ? 'You' : undefined);
  if (entry.own || continues) find('.namesake').hidden = true;
  row.classList.toggle('continues', continues);
  showTime(find('time'), entry.timestamp);
  if (entry.status) dressStatus(row, entry, find);
}

function dressStatus(row, { status, stored, notStored, reason, retryable }, find) {
  row.dataset.status = status;
  if (stored || notStored) row.dataset.stored = String(stored);
  const icon = find('.status');
  icon.removeAttribute('hidden');
  const mark = stored ? 'stored' : notStored ? 'notStored' : status;
  icon.firstElementChild.setAttribute('href', `#icon-${notStored ? 'failed' : mark}`);
  find('.mark').title = STATUS_TEXT[mark];
  find('.status-text').textContent = STATUS_TEXT[mark];
  const failed = status === 'failed';
  find('.failure').hidden = !failed && !notStored;
  find('.reason').textContent = notStored ? 'The history could not save this message' : reason;
  // A text that was not stored was sent: the database would reject it again.
  find('[data-action=retry]').hidden = !failed || !retryable;
  find('[data-action=edit]').hidden = !failed || retryable;
  find('[data-action=discard]').hidden = !failed;
}

function dressQuiet(row, entry) {
  row.dataset.messageId = entry.key;
  row.classList.toggle('gap', entry.kind === 'gap');
  if (entry.kind === 'gap') row.textContent = 'Some messages could not be recovered here';
  else row.replaceChildren(...isolated(comingsAndGoings(entry.events)));
}

/** A sentence with names: each in a place of its own, so that letters from right to left do not mix with what stands around. */
function isolated(parts) {
  return parts.map((part) => {
    if (typeof part === 'string') return part;
    const name = document.createElement('bdi');
    name.textContent = part.name;
    return name;
  });
}

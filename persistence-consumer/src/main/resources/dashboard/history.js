import { count, time } from './format.js';
import { clear, each, h, table } from './html.js';

const PAGE = 50;
/** Above every position. */
const END_OF_ROOM = '9223372036854775807';
const END_OF_USER = 'end';

/** The messages of a room or of a user, page by page, the newest first to be seen. */
export class HistoryView {
  #rest;
  #linkTo;
  #place;
  #asking = null;
  #shown = null;

  constructor(rest, place, linkTo) {
    this.#rest = rest;
    this.#place = place;
    this.#linkTo = linkTo;
  }

  /** @param view with a room or a user, or neither: then nothing is shown */
  async show(view) {
    this.#asking?.abort();
    this.#place.hidden = view.room === null && view.user === null;
    if (this.#place.hidden) {
      this.#shown = null;
      return;
    }
    const subject = `${view.room}/${view.user}`;
    if (subject !== this.#shown) {
      clear(this.#place, this.#head(view), h('p', { class: 'empty' }, 'Loading …'));
      this.#place.querySelector('h2').focus();
    }
    this.#shown = subject;
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const [page, rooms] = await Promise.all([
        this.#rest.get(pathOf(view), asking.signal),
        view.user === null ? null : this.#rest.get(`api/users/${encodeURIComponent(view.user)}/rooms?limit=100`, asking.signal),
      ]);
      if (asking.signal.aborted) return;
      const focused = this.#place.contains(document.activeElement) && document.activeElement.dataset.focus;
      clear(this.#place, this.#head(view, page.displayName), ...(rooms === null ? [] : [this.#rooms(rooms)]), this.#messages(page, view));
      const place = (name) => this.#place.querySelector(`[data-focus="${name}"]`);
      (place(focused) ?? place('title')).focus();
    } catch (problem) {
      if (asking.signal.aborted) return;
      const said = problem.status === 401 ? 'A token is needed.' : `No answer: ${problem.message}.`;
      clear(this.#place, this.#head(view), h('p', { class: 'problem', role: 'status' }, said));
    }
  }

  #head(view, name) {
    return h(
      'header',
      { class: 'detail-head' },
      h('a', { class: 'back', href: this.#linkTo({}) }, 'Overview'),
      h('h2', { tabindex: '-1', 'data-focus': 'title' }, view.room === null ? [`User ${view.user}`, name].filter(Boolean).join(' \u00b7 ') : `Room #${view.room}`),
    );
  }

  #rooms({ rooms }) {
    const rows = each(rooms, ({ roomId, messages, firstActivity, lastActivity }) => [
      h('a', { href: this.#linkTo({ room: roomId }) }, `#${roomId}`),
      count(messages),
      time(firstActivity),
      time(lastActivity),
    ]);
    return h(
      'section',
      { class: 'panel wide' },
      h('header', {}, h('h3', {}, 'Rooms')),
      rooms.length === 0
        ? h('p', { class: 'empty' }, 'This user was in no room.')
        : table('Rooms', ['Room', '#Messages', 'First', 'Last'], rows),
    );
  }

  #messages({ messages, next, gaps }, view) {
    const rows = each(messages, (message) => [
      h('time', { dateTime: new Date(message.timestamp).toISOString() }, time(message.timestamp)),
      view.room === null
        ? h('a', { href: this.#linkTo({ room: message.roomId }) }, `#${message.roomId}`)
        : h('a', { href: this.#linkTo({ user: message.userId }), title: `id ${message.userId}` }, message.displayName ?? message.username ?? message.userId),
      message.messageType === 'TEXT'
        ? h('span', { class: 'words', dir: 'auto' }, message.message)
        : h('span', { class: 'quiet' }, message.messageType === 'JOIN' ? 'joined' : 'left'),
    ]);
    return h(
      'section',
      { class: 'panel wide' },
      h('header', {}, h('h3', {}, 'Messages')),
      gaps?.length > 0
        ? h('p', { class: 'problem' }, 'Messages may be missing here for ever: the log had lost them before they were stored.')
        : null,
      messages.length === 0
        ? h('p', { class: 'empty' }, view.before === null && view.after === null ? 'There are no messages.' : 'There are no more messages.')
        : table('Messages', ['Time', view.room === null ? 'Room' : 'User', 'Message'], rows),
      this.#pages(messages, next, view),
    );
  }

  /** Pages that go back know what is before them, those that go on what is after them; the other way there may be none. */
  #pages(messages, next, view) {
    const onwards = view.after !== null;
    const first = cursor(messages.at(0), view);
    const last = cursor(messages.at(-1), view);
    const older = onwards ? first : next;
    const newer = onwards ? next : view.before === null ? null : last;
    const link = (text, change, name) => h('a', { class: 'button', href: this.#linkTo({ ...same(view), ...change }), 'data-focus': name }, text);
    return h(
      'nav',
      { class: 'pages', 'aria-label': 'Pages' },
      older ? link('Older', { before: older }, 'older') : null,
      newer ? link('Newer', { after: newer }, 'newer') : null,
      onwards || view.before !== null ? link('Latest', {}, 'latest') : null,
    );
  }
}

function same({ room, user }) {
  return { room, user };
}

/** The position of the next page. */
function cursor(message, view) {
  if (message === undefined) return null;
  return view.room === null ? `${message.timestamp}-${message.position}-${message.messageId}` : message.position;
}

function pathOf({ room, user, before, after }) {
  const [base, end] =
    room === null
      ? [`api/users/${encodeURIComponent(user)}/messages`, END_OF_USER]
      : [`api/rooms/${encodeURIComponent(room)}/messages`, END_OF_ROOM];
  const place = after === null ? `before=${encodeURIComponent(before ?? end)}` : `after=${encodeURIComponent(after)}`;
  return `${base}?${place}&limit=${PAGE}`;
}


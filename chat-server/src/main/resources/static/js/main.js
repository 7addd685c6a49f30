import { Announcer } from './announcer.js';
import { Chat } from './chat.js';
import { Composer } from './composer.js';
import { draft, forgetRoom, joinedRooms, keepDraft, name, rememberRoom, rename, userId } from './identity.js';
import { LogView } from './log-view.js';
import { nameInText, shownName, usernameOf } from './names.js';
import { PeopleView } from './people.js';
import { MOST_ROOMS, isRoom } from './protocol.js';
import { RoomsView } from './rooms-view.js';
import { Start } from './start.js';
import { Status } from './status.js';
import { showAvatar } from './text.js';
import './theme.js';
import { Toast } from './toast.js';
import { keepToken, token, tokensWanted, whoTokenSays } from './token.js';

/**
 * The page: the address says which room it shows, `#room=lobby`; without one, or without a name, the start screen. What
 * happens changes rooms (chat.js); a change asks for one `render`, which shows everything as it is.
 */

const page = document.getElementById('chat');
const roomTitle = document.getElementById('room-name');
const empty = document.getElementById('empty');
const older = document.getElementById('older');
const jump = document.getElementById('jump');
const jumpText = document.getElementById('jump-text');
const log = document.getElementById('log');

/** @type {Chat | null} */ let chat = null;
/** @type {import('./room.js').Room | null} */ let shown = null;
let peopleChanged = true;
let rendering = 0;

const toast = new Toast();
const announcer = new Announcer();
const status = new Status(() => chat?.reconnect());
const start = new Start((named, room, shownToken) => {
  if (named) rename(named);
  if (shownToken !== token()) keepToken(shownToken);
  go(room);
});
const composer = new Composer(
  (text) => {
    const taken = shown.send(text);
    if (taken) view.toEnd();
    return taken;
  },
  (text) => keepDraft(shown.name, text),
);
const roomsView = new RoomsView((room) => {
  roomsView.drawer.fold();
  go(room);
});
const peopleView = new PeopleView();
const view = new LogView((name) => document.getElementById(`${name}-row`).content.firstElementChild.cloneNode(true), {
  onRow: (action, messageId) => {
    if (action === 'retry') shown.retry(messageId);
    else if (action === 'discard') shown.discard(messageId);
    else composer.edit(shown.discard(messageId));
  },
  onSeen: () => {
    look();
    changed();
  },
  onOlder: () => shown.conversation.older === 'more' && shown.fetchOlder(),
});

document.getElementById('older-retry').onclick = () => shown.fetchOlder();
document.getElementById('leave').onclick = leaveRoom;
document.getElementById('share').onclick = async () => toast.show((await copied(location.href)) ? 'Link copied' : location.href);
jump.onclick = () => {
  view.toEnd();
  composer.focus();
};
addEventListener('hashchange', route);
addEventListener('popstate', route);
document.addEventListener('visibilitychange', () => {
  look();
  render();
});
document.addEventListener('keydown', (event) => {
  if (page.hidden || event.isComposing) return;
  if (event.key === 'Escape') escape();
  else if (event.altKey && !event.ctrlKey && !event.metaKey && event.key === 'ArrowUp') neighbour(-1);
  else if (event.altKey && !event.ctrlKey && !event.metaKey && event.key === 'ArrowDown') neighbour(1);
  else return;
  event.preventDefault();
});
route();
if (await tokensWanted()) start.askForToken(token());

function roomInAddress() {
  const hash = location.hash.slice(1);
  return isRoom(hash) ? hash : (new URLSearchParams(hash).get('room') ?? '');
}

function go(room) {
  if (room === roomInAddress()) route();
  else location.hash = `room=${room}`;
}

function route() {
  const wanted = roomInAddress();
  const wrong = wanted && !isRoom(wanted) ? 'That link names no room: a room has 1 to 64 letters, digits, - or _' : '';
  if (!name() && !token()) {
    start.show('', isRoom(wanted) ? wanted : '', wrong);
  } else if (isRoom(wanted)) {
    enter(wanted);
  } else {
    // Back to where we were, if we were anywhere.
    const [last] = shown ? [shown] : joinedRooms();
    if (!last) return start.show(name(), '', wrong);
    history.replaceState(null, '', `#room=${last.name}`);
    if (wrong) toast.show(wrong);
    enter(last.name);
  }
}

function enter(room) {
  if (!chat) open(room); // and with it the rooms of before
  if (!chat.room(room) && chat.rooms.length >= MOST_ROOMS) {
    toast.show(`You are in ${MOST_ROOMS} rooms: leave one first`);
    if (shown) history.replaceState(null, '', `#room=${shown.name}`);
    return;
  }
  rememberRoom(room);
  show(chat.enter(room));
}

function open(first) {
  const me = token() ? whoTokenSays() : { userId: userId(), username: usernameOf(name(), userId()), displayName: name() };
  chat = new Chat(me, {
    onChange: changed,
    onPeople: () => {
      peopleChanged = true;
      changed();
    },
    isSeen,
    onNews: (room, message) => room === shown && announcer.say(`${nameInText(message)}: ${message.text}`),
    onFailed: (room, reason) => announcer.say(`Message in ${room.name} not sent: ${reason}`),
    onTrouble: (text) => toast.show(text),
    onRefused: (room, reason) => leaveRefused(room, `The room did not let you in: ${reason}`),
    onState: (state) => status.show(state),
    onNoToken: () => {
      const room = shown.name;
      end();
      start.askForToken('');
      start.show(name(), room, token() ? 'The server did not take the token, or it has ended.' : 'The server asks for a token.');
    },
  });
  const joined = joinedRooms().map(({ name }) => name);
  if (!joined.includes(first)) joined.splice(MOST_ROOMS - 1, Infinity, first);
  for (const name of joined) chat.enter(name);
  showMe();
}

/** A token's name may be known only when the server says it. */
function showMe() {
  document.getElementById('people-me').textContent = shownName(chat.me);
  showAvatar(document.getElementById('people-me-avatar'), shownName(chat.me));
}

function show(room) {
  if (room === shown) return;
  start.hide();
  page.hidden = false;
  if (shown) shown.conversation.open = false;
  shown = room;
  room.conversation.open = true;
  peopleChanged = true;
  roomTitle.textContent = room.name;
  composer.open(draft(room.name), room.name);
  render();
  view.show(room.conversation);
  look();
  render();
  composer.focus();
}

/** Out of the room that is shown, into the next one, or to the start. */
function leaveRoom() {
  const { rooms } = chat;
  const next = rooms[rooms.indexOf(shown) + 1] ?? rooms[rooms.indexOf(shown) - 1];
  const left = shown;
  keepDraft(left.name, '');
  if (next) {
    chat.leave(left);
    location.hash = `room=${next.name}`;
    toast.show(`You left #${left.name}`);
  } else {
    chat.leave(left);
    end();
    history.pushState(null, '', location.pathname + location.search);
    route();
  }
}

function leaveRefused(room, reason) {
  const isShown = room === shown;
  chat.leave(room);
  forgetRoom(room.name);
  if (!isShown || chat.rooms.length > 0) {
    toast.show(reason);
    if (isShown) go(chat.rooms[0].name);
    changed();
    return;
  }
  end();
  start.show(name(), room.name, reason);
}

function end() {
  chat?.close();
  chat = null;
  shown = null;
  view.show(null);
  status.end();
  page.hidden = true;
  showTitle();
}

function isSeen(room) {
  return room === shown && !document.hidden && view.isAtEnd;
}

/** A user who sees the end has read everything. */
function look() {
  if (!shown || !isSeen(shown)) return;
  shown.seen();
  chat.keep();
}

/** However much has changed by the next frame, it is shown once. */
function changed() {
  view.changed();
  rendering ||= document.hidden ? setTimeout(render, 100) : requestAnimationFrame(render);
}

function render() {
  rendering = 0;
  showTitle();
  if (!shown) return;
  const { conversation, entered } = shown;
  roomsView.show(chat.rooms, shown);
  if (peopleChanged) {
    peopleView.show(shown.people.present);
    showMe();
  }
  peopleChanged = false;
  composer.limit = shown.limit;
  status.queued(chat.waiting, chat.unkept);
  log.setAttribute('aria-busy', String(!entered));
  empty.hidden = !entered || !conversation.isEmpty;
  older.dataset.state = conversation.isEmpty ? 'unknown' : conversation.older;
  const { unread } = conversation;
  jump.hidden = view.isAtEnd || conversation.isEmpty;
  jumpText.textContent = unread === 0 ? 'Latest' : unread === 1 ? '1 new message' : `${unread} new messages`;
}

function showTitle() {
  const unread = chat?.rooms.reduce((sum, { conversation }) => sum + conversation.unread, 0) ?? 0;
  const name = shown ? `#${shown.name} \u00b7 Confab` : 'Confab';
  const title = unread > 0 ? `(${unread}) ${name}` : name;
  if (document.title !== title) document.title = title;
}

function neighbour(step) {
  const { rooms } = chat;
  go(rooms[(rooms.indexOf(shown) + step + rooms.length) % rooms.length].name);
}

/** Closes what lies over the page; else leads to where one writes, at the end of the talk. */
function escape() {
  const sheet = [roomsView.drawer, peopleView.drawer].find(({ isSheet }) => isSheet);
  if (sheet) {
    sheet.close();
    return;
  }
  view.toEnd();
  composer.focus();
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard over plain HTTP from another machine, or no permission: the address is shown instead.
    return false;
  }
}

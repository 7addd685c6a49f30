import { Composer } from './composer.js';
import { rememberRoom, rename, userId, username } from './identity.js';
import { PeopleView } from './people.js';
import { isRoom } from './protocol.js';
import { Room } from './room.js';
import { Start } from './start.js';
import { Status } from './status.js';
import { keepToken, token, tokensWanted, whoTokenSays } from './token.js';

/** The page: the address says which room it shows, `#room=lobby`; without one, or without a name, the start screen. */

const chat = document.getElementById('chat');
const toast = document.getElementById('toast');

let room = null;
let roomName = '';
let unread = 0;
let toastTimer = 0;

const start = new Start((name, wanted, shown) => {
  rename(name);
  if (shown !== token()) keepToken(shown);
  if (wanted === roomInAddress()) route();
  else location.hash = `room=${wanted}`;
});
const status = new Status(() => room?.reconnect());
const composer = new Composer((text) => room.send(text));
const peopleView = new PeopleView();

document.getElementById('leave').onclick = () => {
  history.pushState(null, '', location.pathname + location.search);
  route();
};
document.getElementById('share').onclick = async () => {
  say((await copied(location.href)) ? 'Link copied' : location.href);
};
addEventListener('hashchange', route);
addEventListener('popstate', route);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) unread = 0;
  showTitle();
});
route();
if (await tokensWanted()) start.askForToken(token());

function roomInAddress() {
  return new URLSearchParams(location.hash.slice(1)).get('room') ?? '';
}

function route() {
  const wanted = roomInAddress();
  if (wanted && wanted === roomName) return;
  leave();
  if (!isRoom(wanted)) {
    start.show(username(), '', wanted ? 'That link names no room: a room has 1 to 64 letters, digits, - or _' : '');
  } else if (!username()) {
    start.show('', wanted);
  } else {
    enter(wanted);
  }
}

function enter(name) {
  const me = { userId: userId(), username: username(), ...whoTokenSays() };
  start.hide();
  chat.hidden = false;
  roomName = name;
  rememberRoom(name);
  document.getElementById('room-name').textContent = name;
  showTitle();
  composer.clear();
  room = new Room(name, me, peopleView, {
    onState: (state) => status.show(state),
    onNews: count,
    onEdit: (text) => composer.edit(text),
    onTrouble: say,
    onNoToken: () => {
      leave();
      start.askForToken('');
      start.show(me.username, name, token() ? 'The server did not take the token, or it has ended.' : 'The server asks for a token.');
    },
    onRefused: (errors) => {
      leave();
      start.show(me.username, name, `The room did not let you in: ${errors.join('; ')}`);
    },
  });
  composer.focus();
}

function leave() {
  room?.leave();
  room = null;
  roomName = '';
  unread = 0;
  status.end();
  chat.hidden = true;
  showTitle();
}

function count() {
  if (!document.hidden) return;
  unread++;
  showTitle();
}

function showTitle() {
  const name = roomName ? `#${roomName} \u00b7 Confab` : 'Confab';
  document.title = unread > 0 ? `(${unread}) ${name}` : name;
}

function say(text) {
  toast.textContent = text;
  toast.classList.add('shown');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove('shown'), 4000);
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

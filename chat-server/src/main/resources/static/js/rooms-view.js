import { Drawer } from './drawer.js';
import { drawn } from './guard.js';
import { draft, knownRooms } from './identity.js';
import { isRoom } from './protocol.js';

/** More unread ones than this are not counted out. */
const MOST_COUNTED = 99;

/** The list of rooms: those this tab is in, those this browser knows, and a place to name another. */
export class RoomsView {
  /** @type {Drawer} */ drawer = new Drawer('rooms', '(min-width: 48rem)');
  #list = document.getElementById('room-list');
  #earlier = document.getElementById('room-earlier');
  #earlierList = document.getElementById('room-earlier-list');
  #add = document.getElementById('room-add');
  #name = document.getElementById('room-add-name');
  #problem = document.getElementById('room-add-problem');
  #dot = document.getElementById('rooms-unread');
  #template = document.getElementById('room-row');
  #rows = new Map();

  /** @param {(room: string) => void} onEnter a room was named that may be new */
  constructor(onEnter) {
    this.#name.oninput = () => this.#complain('');
    this.#add.onsubmit = (event) => {
      event.preventDefault();
      const name = this.#name.value.trim().replace(/^#/, '');
      if (!isRoom(name)) {
        this.#complain('1 to 64 letters, digits, - and _');
        return;
      }
      this.#name.value = '';
      onEnter(name);
    };
    for (const list of [this.#list, this.#earlierList]) list.addEventListener('click', ({ target }) => target.closest('a') && this.drawer.fold());
  }

  /** @param {import('./room.js').Room[]} rooms @param {import('./room.js').Room | null} shown */
  show(rooms, shown) {
    this.#draw(this.#list, 'room', rooms.map(({ name }) => name));
    for (const room of rooms) {
      const row = this.#rows.get(`room ${room.name}`);
      if (row.matches('.plain')) continue;
      drawn(
        () => this.#dress(row, room, room === shown),
        () => {}, // its name is there
      );
    }
    const earlier = knownRooms().filter((name) => !rooms.some((room) => room.name === name));
    this.#draw(this.#earlierList, 'earlier', earlier);
    this.#earlier.hidden = earlier.length === 0;
    const elsewhere = rooms.reduce((sum, room) => sum + (room === shown ? 0 : room.conversation.unread), 0);
    this.#dot.textContent = elsewhere > 0 ? counted(elsewhere) : '';
  }

  #draw(list, kind, names) {
    const rows = names.map((name) => this.#row(kind, name));
    for (const row of [...list.children]) if (!rows.includes(row)) row.remove();
    rows.forEach((row, i) => list.children[i] === row || list.insertBefore(row, list.children[i] ?? null));
  }

  #row(kind, name) {
    const key = `${kind} ${name}`;
    if (!this.#rows.has(key)) {
      const row = drawn(
        () => this.#newRow(name),
        () => plainRow(name),
      );
      this.#rows.set(key, row);
    }
    return this.#rows.get(key);
  }

  #newRow(name) {
    const row = this.#template.content.firstElementChild.cloneNode(true);
    row.querySelector('a').href = `#room=${name}`;
    row.querySelector('.room-name').textContent = name;
    return row;
  }

  #dress(row, { name, conversation }, isShown) {
    const link = row.querySelector('a');
    const { unread, unreadMore, failures } = conversation;
    const set = (selector, text) => {
      const element = row.querySelector(selector);
      if (element.textContent !== text) element.textContent = text;
    };
    if (isShown) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    set('.count', unread > 0 ? counted(unread, unreadMore) : '');
    set('.count-text', unread > 0 ? 'unread' : '');
    set('.flag', failures > 0 ? 'Not sent' : !isShown && draft(name) ? 'Draft' : '');
    row.classList.toggle('troubled', failures > 0);
    row.classList.toggle('has-unread', unread > 0);
  }

  #complain(text) {
    this.#problem.textContent = text;
    this.#name.setAttribute('aria-invalid', String(text !== ''));
  }
}

/** Replaces a row that could not be drawn. */
function plainRow(name) {
  const row = document.createElement('li');
  row.className = 'room plain';
  const link = document.createElement('a');
  link.href = `#room=${name}`;
  link.textContent = `#${name}`;
  row.append(link);
  return row;
}

const counted = (unread, more = false) => (unread > MOST_COUNTED ? `${MOST_COUNTED}+` : `${unread}${more ? '+' : ''}`);

import { Drawer } from './drawer.js';
import { drawn } from './guard.js';
import { showAvatar } from './text.js';

/** Names kept; larger rooms are told as a number. */
export const MOST_NAMES = 300;

/**
 * Who is in the room. Names come from the roster, and from who came, left and wrote; the number from WELCOME,
 * which counts at our own JOIN, and from MEMBERS, which is always right. What is replayed until we have caught up changes
 * names, but not the number.
 */
export class People {
  #me;
  #known = new Map(); // userId -> {username}; the latest sign of life last
  #count = 1;
  #welcomed = 1;
  #live = false;
  #onChange;
  #changeQueued = false;

  /** @param {{ userId: string, username: string }} me @param {() => void} onChange called after somebody came or went */
  constructor(me, onChange) {
    this.#me = me;
    this.#onChange = onChange;
    this.#known.set(me.userId, { username: me.username });
  }

  /** Who is here, ourselves first, then by name, and how many in all. */
  get present() {
    // While history is replayed names run ahead of the number or behind it.
    if (this.#live) this.#forget(Math.min(this.#count, MOST_NAMES));
    const { userId: mine, username: myName } = this.#me;
    const others = [...this.#known].filter(([userId]) => userId !== mine).map(([, { username }]) => ({ username }));
    others.sort((a, b) => a.username.localeCompare(b.username));
    return { people: [{ username: myName, me: true }, ...others], count: Math.max(this.#count, this.#live ? 1 : this.#known.size) };
  }

  welcome(members) {
    this.#welcomed = Math.max(1, members);
    this.#count = this.#welcomed;
    this.#live = false;
    this.#changed();
  }

  /** What single comings and goings do not say. */
  told({ members, joined, left }) {
    for (const { userId, username } of joined) if (userId !== this.#me.userId) this.#sign(userId, username);
    for (const { userId } of left) if (userId !== this.#me.userId) this.#known.delete(userId);
    this.#counted(members);
  }

  /** The first of the members; the others we know are here, or not in a room so large that we can't list it. */
  listed({ members, roster, next }) {
    if (next === null) this.#known.clear();
    this.#sign(this.#me.userId, this.#me.username);
    for (const { userId, username } of roster) if (userId !== this.#me.userId) this.#sign(userId, username);
    this.#counted(members);
  }

  #counted(members) {
    this.#count = Math.max(1, members);
    this.#changed();
  }

  /** What is replayed is through. */
  caughtUp() {
    this.#live = true;
    this.#count = this.#welcomed;
    this.#changed();
  }

  /** Returns whether somebody came who was not here. */
  joined({ userId, username }) {
    if (userId === this.#me.userId) return false;
    const present = this.#known.has(userId);
    this.#sign(userId, username);
    if (this.#live && !present) this.#count++;
    this.#changed();
    return !present;
  }

  /** Returns whether it was another person. */
  left({ userId }) {
    if (userId === this.#me.userId) return false;
    this.#known.delete(userId);
    if (this.#live) this.#count = Math.max(1, this.#count - 1);
    this.#changed();
    return true;
  }

  /** Whoever writes is here. In history that says nothing: they may have left since. */
  spoke({ userId, username }) {
    if (userId === this.#me.userId || !this.#live) return;
    this.#sign(userId, username);
    this.#changed();
  }

  #sign(userId, username) {
    this.#known.delete(userId);
    this.#known.set(userId, { username });
  }

  #changed() {
    if (this.#changeQueued) return;
    this.#changeQueued = true;
    // Once for all messages of a frame.
    queueMicrotask(() => {
      this.#changeQueued = false;
      this.#onChange();
    });
  }

  /** Servers that died took members along without a LEAVE: the number knows, and the longest silent go. */
  #forget(most) {
    for (const userId of this.#known.keys()) {
      if (this.#known.size <= most) return;
      if (userId !== this.#me.userId) this.#known.delete(userId);
    }
  }
}

/** The list at the side. */
export class PeopleView {
  /** @type {Drawer} */ drawer = new Drawer('people', '(min-width: 64rem)');
  #list = document.getElementById('people-list');
  #others = document.getElementById('people-others');
  #count = document.getElementById('people-count');
  #template = document.getElementById('person-row');

  show({ people, count }) {
    const rows = people.map((person) =>
      drawn(
        () => this.#row(person),
        () => plainRow(person),
      ),
    );
    this.#list.replaceChildren(...rows);
    const unnamed = count - people.length;
    this.#others.hidden = unnamed < 1;
    this.#others.textContent = unnamed === 1 ? 'and 1 other' : `and ${unnamed} others`;
    this.#count.textContent = String(Math.max(count, people.length));
  }

  #row({ username, me = false }) {
    const row = this.#template.content.firstElementChild.cloneNode(true);
    showAvatar(row.querySelector('.avatar'), username);
    row.querySelector('.person-name').textContent = username;
    row.querySelector('.badge').hidden = !me;
    return row;
  }
}

/** Replaces a row that could not be drawn. */
function plainRow({ username }) {
  const row = document.createElement('li');
  row.className = 'person';
  row.textContent = String(username);
  return row;
}

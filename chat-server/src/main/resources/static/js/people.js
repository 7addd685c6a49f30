import { Drawer } from './drawer.js';
import { drawn } from './guard.js';
import { meet, shownName, showName } from './names.js';
import { showAvatar } from './text.js';

/** Names kept; larger rooms show only a number. */
export const MOST_NAMES = 300;

/**
 * The members of the room. Names come from the roster and from joins, leaves and texts; the number comes from WELCOME,
 * which counts at our own JOIN, and from MEMBERS, which is always right. Messages replayed during catch-up change
 * names, but not the number.
 */
export class People {
  #me;
  #known = new Map(); // userId -> {userId, username, displayName}; the latest sign of life last
  #count = 1;
  #welcomed = 1;
  #live = false;
  #onChange;
  #changeQueued = false;

  /** @param {import('./conversation.js').Person} me @param {() => void} onChange called after a change */
  constructor(me, onChange) {
    this.#me = me;
    this.#onChange = onChange;
    this.#sign(me);
  }

  /** Returns the members, ourselves first, then by name, and their number. */
  get present() {
    // While history is replayed names run ahead of the number or behind it.
    if (this.#live) this.#forget(Math.min(this.#count, MOST_NAMES));
    const others = [...this.#known.values()].filter(({ userId }) => userId !== this.#me.userId);
    others.sort((a, b) => shownName(a).localeCompare(shownName(b)));
    return { people: [{ ...this.#me, me: true }, ...others], count: Math.max(this.#count, this.#live ? 1 : this.#known.size) };
  }

  welcome(members) {
    this.#welcomed = Math.max(1, members);
    this.#count = this.#welcomed;
    this.#live = false;
    this.#changed();
  }

  /** Applies a MEMBERS frame. */
  told({ members, joined, left }) {
    for (const member of joined) if (member.userId !== this.#me.userId) this.#sign(member);
    for (const { userId } of left) if (userId !== this.#me.userId) this.#known.delete(userId);
    this.#counted(members);
  }

  /** The first of the members; the others we know are here, or not in a room so large that we can't list it. */
  listed({ members, roster, next }) {
    if (next === null) this.#known.clear();
    this.#sign(this.#me);
    for (const member of roster) if (member.userId !== this.#me.userId) this.#sign(member);
    this.#counted(members);
  }

  #counted(members) {
    this.#count = Math.max(1, members);
    this.#changed();
  }

  /** The replay has ended. */
  caughtUp() {
    this.#live = true;
    this.#count = this.#welcomed;
    this.#changed();
  }

  /** Returns whether a new member joined. */
  joined(member) {
    const { userId } = member;
    if (userId === this.#me.userId) return false;
    const present = this.#known.has(userId);
    this.#sign(member);
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

  /** Adds the sender of a live message; a sender in history may have left since. */
  spoke(member) {
    const { userId } = member;
    if (userId === this.#me.userId || !this.#live) return;
    this.#sign(member);
    this.#changed();
  }

  #sign({ userId, username, displayName }) {
    meet({ userId, username, displayName });
    this.#known.delete(userId);
    this.#known.set(userId, { userId, username, displayName });
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

  #row(person) {
    const row = this.#template.content.firstElementChild.cloneNode(true);
    showAvatar(row.querySelector('.avatar'), shownName(person));
    showName(row.querySelector('.person-name'), row.querySelector('.namesake'), person);
    row.querySelector('.badge').hidden = !person.me;
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

import { knownRooms } from './identity.js';
import { isName, tidyName } from './names.js';
import { isRoom } from './protocol.js';

/** The screen before a room: a name, a room. `onEnter(name, room, token)` gets what is fit to be sent; no name where a token has one. */
export class Start {
  #screen = document.getElementById('start');
  #name = document.getElementById('start-name');
  #nameField = document.getElementById('start-name-field');
  #room = document.getElementById('start-room');
  #lead = document.getElementById('start-lead');
  #recent = document.getElementById('start-recent');
  #token = document.getElementById('start-token');
  #tokenField = document.getElementById('start-token-field');
  #problem = document.getElementById('start-problem');

  constructor(onEnter) {
    this.#name.oninput = () => this.#check(this.#name, true);
    this.#room.oninput = () => this.#check(this.#room, true);
    document.getElementById('start-form').onsubmit = (event) => {
      event.preventDefault();
      const fine = [this.#check(this.#room, false), this.#check(this.#name, false)].every(Boolean);
      if (fine) onEnter(this.#nameField.hidden ? '' : tidyName(this.#name.value), this.#room.value.trim(), this.#token.value.trim());
      else this.#screen.querySelector('[aria-invalid=true]').focus();
    };
  }

  /** @param invitation the room of the link that was followed, or empty */
  show(name, invitation, problem = '') {
    this.#screen.hidden = false;
    this.#name.value = name;
    this.#room.value = invitation || knownRooms()[0] || 'lobby';
    this.#lead.textContent = invitation && !problem ? `Pick a name to join #${invitation}.` : 'Pick a name, pick a room, start talking.';
    this.#problem.textContent = problem;
    this.#problem.hidden = !problem;
    const rooms = [...new Set([...knownRooms(), 'lobby'])];
    this.#recent.replaceChildren(...rooms.map((room) => this.#chip(room)));
    this.#recent.hidden = rooms.length < 2;
    for (const field of [this.#name, this.#room]) this.#check(field, true);
    this.#firstOpen(name).focus();
  }

  /** The field to focus. */
  #firstOpen(name) {
    if (this.#nameField.hidden) return this.#token;
    return name ? this.#screen.querySelector('.primary') : this.#name;
  }

  /** The server asks for a token; that has the name, too. */
  askForToken(kept) {
    this.#tokenField.hidden = false;
    this.#nameField.hidden = true;
    this.#token.value = kept;
  }

  hide() {
    this.#screen.hidden = true;
  }

  #chip(room) {
    const chip = document.createElement('button');
    chip.type = 'button';
    chip.className = 'chip';
    chip.textContent = `#${room}`;
    chip.onclick = () => {
      this.#room.value = room;
      this.#check(this.#room, true);
    };
    return chip;
  }

  /** While the user types, marks only errors that further typing cannot correct. */
  #check(field, typing) {
    const value = field === this.#name ? tidyName(field.value) : field.value.trim();
    const fine = field === this.#name ? this.#nameField.hidden || isName(value) || (typing && !value) : isRoom(value) || (typing && !value);
    field.setAttribute('aria-invalid', String(!fine));
    return fine;
  }
}

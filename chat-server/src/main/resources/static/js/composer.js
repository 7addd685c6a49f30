import { MESSAGE_LIMIT, codePoints, sendable } from './protocol.js';

/** The counter appears when this many characters are left. */
const COUNT_FROM = 100;

/** Where a message is written. `onSend(text)` returns whether the text was taken, `onDraft(text)` gets what is being written. */
export class Composer {
  #form = document.getElementById('composer');
  #text = document.getElementById('text');
  #send = this.#form.querySelector('.send');
  #note = document.getElementById('composer-note');
  #onSend;
  #onDraft;

  constructor(onSend, onDraft) {
    this.#onSend = onSend;
    this.#onDraft = onDraft;
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    this.#text.oninput = () => this.#changed();
    this.#text.onkeydown = (event) => {
      // While an input method composes a character, Enter chooses it.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.#submit();
    };
  }

  /** Where there is a keyboard; on a touch screen it would cover half of the room just entered. */
  focus() {
    if (matchMedia('(hover: hover)').matches) this.#text.focus();
  }

  /** Another room's draft. */
  open(text, room) {
    this.#text.value = text;
    this.#text.placeholder = `Message #${room}`;
    this.#look();
  }

  /** Puts a text back for another try, above what has been typed since. */
  edit(text) {
    this.#text.value = [text, this.#text.value].filter(Boolean).join('\n');
    this.#changed();
    this.#text.focus();
  }

  #submit() {
    const text = sendable(this.#text.value);
    const length = codePoints(text);
    if (length > 0 && length <= MESSAGE_LIMIT && this.#onSend(text)) {
      this.#text.value = '';
      this.#changed();
    }
    this.#text.focus();
  }

  #changed() {
    this.#onDraft(this.#text.value);
    this.#look();
  }

  #look() {
    const length = codePoints(sendable(this.#text.value));
    const left = MESSAGE_LIMIT - length;
    this.#send.disabled = length === 0 || left < 0;
    this.#text.setAttribute('aria-invalid', String(left < 0));
    this.#note.classList.toggle('over', left < 0);
    if (left < 0) {
      const over = left === -1 ? '1 character' : `${-left} characters`;
      this.#note.textContent = `${over} too long: a message has at most ${MESSAGE_LIMIT}`;
    } else {
      this.#note.textContent = left < COUNT_FROM ? `${left} left` : '';
    }
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}

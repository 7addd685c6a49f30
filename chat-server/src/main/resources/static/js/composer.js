import { LONGEST_MESSAGE, codePoints, isBlank, sendable } from './protocol.js';

/** The counter appears when this many characters are left. */
const COUNT_FROM = 100;

/**
 * The input for a message. `onSend(text)` returns whether the text was accepted, `onDraft(text)` receives the draft and
 * returns whether it will be there after a reload.
 */
export class Composer {
  #form = document.getElementById('composer');
  #text = document.getElementById('text');
  #send = this.#form.querySelector('.send');
  #note = document.getElementById('composer-note');
  #onSend;
  #onDraft;
  #kept = true;
  #cut = 0; // characters that found no place
  #longest = 0; // a text that the page puts back may exceed the limit for typing
  #limit = LONGEST_MESSAGE; // until the server says its own

  constructor(onSend, onDraft) {
    this.#onSend = onSend;
    this.#onDraft = onDraft;
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    // The browser cuts what is pasted, which is fast, but silent.
    this.#text.maxLength = this.#draftLimit;
    this.#text.onpaste = ({ clipboardData }) => this.#pasting(clipboardData);
    this.#text.ondrop = ({ dataTransfer }) => this.#pasting(dataTransfer);
    this.#text.oninput = () => {
      this.#bound();
      this.#changed();
      this.#cut = 0; // told; the next change is another one
    };
    this.#text.onkeydown = (event) => {
      // While an input method composes a character, Enter chooses it.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.#submit();
    };
  }

  /** Focuses the input only with a keyboard; on a touch screen the keyboard would cover half of the room. */
  focus() {
    if (matchMedia('(hover: hover)').matches) this.#text.focus();
  }

  /** The longest message in code points, as the server says it: what a reader calls a character, near enough. */
  set limit(limit) {
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#text.maxLength = this.#draftLimit;
    this.#look();
  }

  /** Longest draft, in UTF-16 units: enough to paste something too long and to shorten it. */
  get #draftLimit() {
    return 4 * this.#limit;
  }

  /** Another room's draft. */
  open(text, room) {
    this.#put(text);
    this.#kept = true;
    this.#text.placeholder = `Message #${room}`;
    this.#look();
  }

  /** Puts a text back for another try, above what has been typed since. */
  edit(text) {
    this.#put([text, this.#text.value].filter(Boolean).join('\n'));
    this.#changed();
    this.#text.focus();
  }

  #submit() {
    const text = sendable(this.#text.value);
    const length = codePoints(text);
    if (!isBlank(text) && length <= this.#limit && this.#onSend(text)) {
      this.#put('');
      this.#changed();
    }
    this.#text.focus();
  }

  #put(text) {
    this.#text.value = text;
    this.#longest = text.length;
  }

  #pasting(data) {
    const { selectionStart, selectionEnd, value } = this.#text;
    const pasted = data?.getData('text/plain').length ?? 0;
    this.#cut = Math.max(0, value.length - (selectionEnd - selectionStart) + pasted - this.#draftLimit);
    if (this.#cut > 0) this.#look(); // where nothing finds place nothing changes
  }

  /** The browser does not cut a text that a script or an extension sets. */
  #bound() {
    const { value } = this.#text;
    const most = Math.max(this.#draftLimit, this.#longest);
    if (value.length > most) {
      this.#cut = value.length - this.#draftLimit;
      this.#text.value = value.slice(0, this.#draftLimit);
    }
    this.#longest = this.#text.value.length;
  }

  #changed() {
    this.#kept = this.#onDraft(this.#text.value);
    this.#look();
  }

  #look() {
    const text = sendable(this.#text.value);
    const length = codePoints(text);
    const left = this.#limit - length;
    const blank = isBlank(text);
    this.#send.disabled = blank || left < 0;
    this.#text.setAttribute('aria-invalid', String(left < 0));
    this.#note.classList.toggle('over', left < 0 || !this.#kept);
    const notes = [];
    if (this.#cut > 0) notes.push(`${this.#cut} characters found no place here`);
    if (left < 0) notes.push(`${left === -1 ? '1 character' : `${-left} characters`} too long: a message has at most ${this.#limit}`);
    else if (left < COUNT_FROM) notes.push(`${left} left`);
    if (blank && length > 0) notes.push('Nothing of this can be seen: a message has at least one visible character');
    if (!this.#kept) notes.push('This draft is lost when the page is reloaded: the browser keeps nothing more');
    this.#note.textContent = notes.join(' \u00b7 ');
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}

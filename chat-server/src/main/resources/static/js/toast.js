/** How long it is shown. */
const SHOWN_MS = 4000;

/** Says something that needs no answer. */
export class Toast {
  #place = document.getElementById('toast');
  #timer = 0;

  show(text) {
    this.#place.textContent = text;
    this.#place.classList.add('shown');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#place.classList.remove('shown'), SHOWN_MS);
  }
}

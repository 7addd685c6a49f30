/**
 * A side panel: a column on a wide page, a sheet over a narrow one. The page behind a sheet is inert until the sheet closes.
 */
export class Drawer {
  #panel;
  #toggle;
  #close;
  #wide;
  #scrim = document.getElementById('scrim');

  /**
   * @param {string} name ids of the page: `name`, `name-toggle`, `name-close`
   * @param {string} wide a media query: where it is a column
   */
  constructor(name, wide) {
    this.#panel = document.getElementById(name);
    this.#toggle = document.getElementById(`${name}-toggle`);
    this.#close = document.getElementById(`${name}-close`);
    this.#wide = matchMedia(wide);
    this.#toggle.onclick = () => this.#open(!this.isOpen);
    this.#close.onclick = () => this.close();
    this.#scrim.addEventListener('click', () => this.isSheet && this.close());
    this.#wide.onchange = () => this.#open(this.#wide.matches);
    this.#open(this.#wide.matches);
  }

  get isOpen() {
    return this.#panel.dataset.open === 'true';
  }

  /** Whether it lies over the page now. */
  get isSheet() {
    return this.isOpen && !this.#wide.matches;
  }

  close() {
    this.#open(false);
    this.#toggle.focus();
  }

  /** After something was chosen in it. */
  fold() {
    if (this.isSheet) this.#open(false);
  }

  #open(open) {
    this.#panel.dataset.open = String(open);
    this.#toggle.setAttribute('aria-expanded', String(open));
    this.#scrim.hidden = !this.isSheet;
    for (const sibling of this.#panel.parentElement.children) {
      if (sibling !== this.#panel && sibling !== this.#scrim) sibling.inert = this.isSheet;
    }
    if (this.isSheet) this.#close.focus();
  }
}

import { drawn } from './guard.js';
import { NEW_ROW, dressBroken, entryRow, rowsOf } from './rows.js';

/**
 * Entries on the page: FEW at first and at the end, at most MOST, STEP more whenever the reader comes within NEAR screens
 * of an edge. With ten thousand messages the page holds no more than with a few hundred.
 */
const FEW = 120;
const MOST = 240;
const STEP = 60;
const NEAR = 1;

/** This close to the end counts as reading the end. */
const END_PX = 48;

/** The point of the view that stays fixed while rows are added and removed, as a fraction of its height. */
const ANCHOR_AT = 0.3;

/** The position of the first new message when a room is opened, as a fraction of the height. */
const NEW_AT = 0.2;

/**
 * Shows a window of one conversation. Applies all changes at the next animation frame. The visible rows stay in place while
 * rows above are added and removed.
 */
export class LogView {
  #log = document.getElementById('log');
  #rows = document.getElementById('rows');
  #on;
  #rowMaker;
  /** @type {import('./conversation.js').Conversation | null} */ #conversation = null;
  #shown = new Map(); // key -> {element, look, broken}
  #from = 0; // places, see Conversation
  #to = 0;
  #drawnEnd = 0;
  #lastTop = 0; // where the log was scrolled to when last looked at
  #following = true; // the end is in sight, and stays so
  #places = new Map(); // room -> where its reader was: {key, top}
  #frame = 0;

  /**
   * @param {(name: 'text' | 'day' | 'new' | 'quiet') => HTMLElement} rowMaker a new empty row
   * @param {{ onRow: (action: string, key: string) => void, onSeen: () => void, onOlder: () => void }} on a button in a
   *     row was pressed; another part of the log is in sight; the reader comes near the oldest entry
   */
  constructor(rowMaker, on) {
    this.#rowMaker = rowMaker;
    this.#on = on;
    this.#log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.#log.addEventListener('scrollend', () => this.#scrolled(true), { passive: true });
    this.#rows.addEventListener('click', ({ target }) => {
      const action = target.closest('button')?.dataset.action;
      if (action) on.onRow(action, target.closest('.row').dataset.messageId);
    });
    // The keyboard of a phone, a growing composer, a turned screen, a font that comes late: the end stays in sight.
    const sizes = new ResizeObserver(() => this.#following && this.#scrollToEnd());
    sizes.observe(this.#log);
    sizes.observe(this.#rows);
  }

  /** Whether the latest entry is in sight. */
  get isAtEnd() {
    return this.#following;
  }

  /** @param {import('./conversation.js').Conversation | null} conversation to show, at its last scroll position or at the first new message */
  show(conversation) {
    const before = this.#conversation;
    if (before && !this.#following) this.#places.set(before.name, this.#anchor());
    else if (before) this.#places.delete(before.name);
    for (const { element } of this.#shown.values()) element.remove();
    this.#shown.clear();
    this.#conversation = conversation;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!conversation) return;

    const kept = this.#places.get(conversation.name);
    const target = conversation.unread > 0 ? { key: conversation.newFrom, top: null } : kept;
    const place = target ? conversation.placeOf(target.key) : -1;
    if (place < 0) {
      this.toEnd();
      return;
    }
    this.#following = false;
    this.#from = Math.max(conversation.first, place - FEW / 2);
    this.#to = Math.min(conversation.end, place + FEW / 2);
    this.#draw();
    const row = (this.#shown.get(target.top === null ? NEW_ROW : entryRow(target.key)) ?? this.#shown.get(entryRow(target.key))).element;
    const wanted = target.top ?? NEW_AT * this.#log.clientHeight;
    this.#scrollTo(this.#log.scrollTop + this.#topOf(row) - wanted);
    this.#scrolled(true);
  }

  /** Something has changed: the next frame shows it. */
  changed() {
    // Not in a hidden page, which has no frames: then when it is seen again.
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#conversation) this.#render();
    });
  }

  /** Scrolls to the end, and stays there. */
  toEnd() {
    this.#following = true;
    this.#from = Math.max(this.#conversation.first, this.#conversation.end - FEW);
    this.#render();
  }

  #render() {
    const { first, end } = this.#conversation;
    this.#from = Math.max(first, Math.min(this.#from, end));
    this.#to = Math.max(this.#from, Math.min(this.#to, end));
    if (this.#following) {
      this.#to = end;
      if (this.#to - this.#from > MOST) this.#from = this.#to - FEW;
    }
    // First, so that there is something above by the time that rows at the edge look different: else there is nothing to scroll.
    const moved = this.#move();
    if (this.#following) {
      this.#draw();
      this.#scrollToEnd();
    } else {
      this.#holding(() => this.#draw());
    }
    if (moved) this.changed();
  }

  /** Moves the window a step to where the reader is near its edge. Returns whether it did. */
  #move() {
    const { first, end } = this.#conversation;
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const [from, to] = [this.#from, this.#to];
    const rest = scrollHeight - clientHeight - scrollTop;
    // Of a full window a quarter at most, or on a tall screen both edges would pull at it, for ever.
    const near = Math.min(NEAR * clientHeight, to - from < MOST ? Infinity : (scrollTop + rest) / 4);
    const above = scrollTop < near;
    if (above && from > first && !(this.#following && to - from >= MOST)) {
      this.#from = Math.max(first, from - STEP);
      if (!this.#following) this.#to = Math.min(to, this.#from + MOST);
    } else if ((rest < near || to - from < FEW) && to < end) {
      this.#to = Math.min(end, to + STEP);
      this.#from = Math.max(from, this.#to - MOST);
    } else if (above && from === first) {
      this.#on.onOlder();
    }
    return from !== this.#from || to !== this.#to;
  }

  /** Does what it is given while what is read stays where it is. */
  #holding(change) {
    const { key, top } = this.#anchor() ?? {};
    change();
    const row = key && this.#shown.get(entryRow(key))?.element;
    if (!row) return;
    const moved = this.#topOf(row) - top;
    if (Math.abs(moved) > 0.5) this.#scrollTo(this.#log.scrollTop + moved);
  }

  /**
   * An entry in sight, and where it is. Not the first: that may lose the name above it when older ones come. Rows that are no
   * entries come and go.
   */
  #anchor() {
    const rows = [...this.#rows.children].filter(({ dataset }) => dataset.messageId);
    const line = ANCHOR_AT * this.#log.clientHeight;
    let [low, high] = [0, rows.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#topOf(rows[middle]) > line) high = middle;
      else low = middle + 1;
    }
    return rows[low] ? { key: rows[low].dataset.messageId, top: this.#topOf(rows[low]) } : null;
  }

  #topOf(row) {
    return row.getBoundingClientRect().top - this.#log.getBoundingClientRect().top;
  }

  /** Updates the rows to match the window. Reuses existing rows and moves them only if necessary. */
  #draw() {
    const wanted = this.#looks();
    this.#drawnEnd = this.#conversation.end;
    for (const [key, { element }] of this.#shown) {
      if (wanted.has(key)) continue;
      element.remove();
      this.#shown.delete(key);
    }
    let next = this.#rows.firstElementChild;
    for (const [key, row] of wanted) {
      const before = this.#shown.get(key);
      const shown = before?.look === row.look ? before : this.#dressed(row, before);
      this.#shown.set(key, shown);
      if (before && before.element !== shown.element) {
        if (before.element === next) next = next.nextElementSibling;
        before.element.remove();
      }
      if (shown.element === next) next = next.nextElementSibling;
      else this.#rows.insertBefore(shown.element, next);
    }
  }

  /** A row as it has to look: the element that is there, or a new one. */
  #dressed({ kind, look, dress, messageId }, before) {
    const reused = before && !before.broken ? before.element : null;
    return drawn(
      () => {
        const element = reused ?? this.#rowMaker(kind);
        dress(element, reused === null);
        return { element, look, broken: false };
      },
      () => {
        const element = this.#rowMaker('quiet');
        dressBroken(element, messageId);
        return { element, look, broken: true };
      },
    );
  }

  /** The rows of the window, in order: of what kind, how they look, and what makes them look so. */
  #looks() {
    const conversation = this.#conversation;
    const looks = new Map();
    let above = this.#from > conversation.first ? conversation.at(this.#from - 1) : null;
    for (let place = this.#from; place < this.#to; place++) {
      const entry = conversation.at(place);
      for (const row of rowsOf(entry, above, entry.key === conversation.newFrom)) looks.set(row.key, row);
      above = entry;
    }
    return looks;
  }

  #scrollToEnd() {
    this.#scrollTo(this.#log.scrollHeight);
  }

  #scrollTo(top) {
    this.#log.scrollTop = top;
    this.#lastTop = this.#log.scrollTop;
  }

  /**
   * Any upward scroll stops following the end, because in a busy room the next frame would undo it. Following resumes if the
   * scroll comes to rest near the end.
   */
  #scrolled(atRest = false) {
    if (!this.#conversation) return;
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    const rest = scrollHeight - scrollTop - clientHeight;
    const isNearEnd = rest < 2 || (rest < END_PX && (atRest || scrollTop >= this.#lastTop));
    // By what is on the page: what has come since the last frame is no reason to stop following.
    this.#following = this.#to === this.#drawnEnd && isNearEnd;
    this.#lastTop = scrollTop;
    this.#on.onSeen();
    this.changed();
  }
}

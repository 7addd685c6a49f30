/** How often something is said at most; more than MOST messages in between are only counted. */
const PAUSE_MS = 1500;
const MOST = 3;

/**
 * Says news to those who listen to the page instead of looking at it. Not by the log itself: that has rows come and go when
 * the user scrolls, and a busy room would interrupt every sentence.
 */
export class Announcer {
  #place = document.getElementById('announcer');
  #waiting = [];
  #timer = 0;

  /** @param {string} text */
  say(text) {
    this.#waiting.push(text);
    this.#timer ||= setTimeout(() => this.#speak());
  }

  #speak() {
    const texts = this.#waiting.splice(0);
    this.#timer = 0;
    if (texts.length === 0) return;
    this.#place.textContent = texts.length > MOST ? `${texts.length} new messages` : texts.join('. ');
    this.#timer = setTimeout(() => this.#speak(), PAUSE_MS);
  }
}

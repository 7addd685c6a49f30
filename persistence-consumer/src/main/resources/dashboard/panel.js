import { age } from './format.js';
import { clear, h } from './html.js';

/** A place for one figure: its title, its age, what is wrong with it, and the figure. Drawn from what some feeds say. */
export class Panel {
  #feeds;
  #draw;
  #idle;
  #content;
  #empty = h('p', { class: 'empty' }, 'Loading …');
  #age = h('p', { class: 'age' });
  #problem = h('p', { class: 'problem', role: 'status', hidden: true });

  /**
   * @param kind `panel`, or `tile` for a single number
   * @param note what the figure means, for people
   * @param tools further elements beside the title
   * @param idle what is said where there is nothing to ask
   * @param draw gets the place and what each feed says; what it returns is said instead of a figure
   */
  constructor({ id, title, note, feeds, draw, idle = '', kind = 'panel', width = 'half', tools = [] }) {
    this.#feeds = feeds;
    this.#draw = draw;
    this.#idle = idle;
    this.#content = h('div', { class: 'content', hidden: true });
    const heading = h('h2', { id: `${id}-title` }, title);
    this.element = h(
      'section',
      { class: `${kind} ${width}`, id, 'aria-labelledby': `${id}-title` },
      h('header', {}, heading, ...tools, this.#age),
      note ? h('p', { class: 'about' }, note) : null,
      this.#problem,
      this.#empty,
      this.#content,
    );
    for (const feed of feeds) feed.listen(() => this.update());
  }

  update() {
    const problem = this.#feeds.map((feed) => feed.problem).find((found) => found !== null);
    this.#problem.hidden = problem === undefined;
    const said = problem === undefined ? '' : inWords(problem);
    if (this.#problem.textContent !== said) this.#problem.textContent = said;
    const answers = this.#feeds.map((feed) => feed.answer);
    const known = answers.every((answer) => answer !== null);
    if (known) {
      const nothing = this.#drawn(answers);
      this.#empty.textContent = nothing ?? '';
      this.#empty.hidden = nothing === null;
      this.#content.hidden = nothing !== null;
    } else {
      this.#empty.textContent = problem !== undefined ? '' : this.#feeds.some((feed) => feed.idle) ? this.#idle : 'Loading …';
      this.#empty.hidden = problem !== undefined;
      this.#content.hidden = true;
    }
    this.element.dataset.stale = problem !== undefined;
    this.showAge();
  }

  /** A figure that cannot be drawn costs only itself. */
  #drawn(answers) {
    try {
      return this.#draw(this.#content, ...answers) ?? null;
    } catch (error) {
      reportError(error);
      return 'This figure cannot be drawn.';
    }
  }

  /** The oldest of what is shown. */
  showAge() {
    const known = this.#feeds.filter((feed) => feed.answer !== null);
    const ages = known.map((feed) => feed.age);
    const text = known.length === 0 ? '' : ages.includes(null) ? 'being counted' : age(Math.max(...ages));
    if (this.#age.textContent !== text) this.#age.textContent = text;
  }
}

function inWords({ status, message }) {
  if (status === 401) return 'A token is needed.';
  if (status === 403) return `Your token does not allow this: ${message}.`;
  return `No answer: ${message}.`;
}

/** A tile with one number. */
export function tile({ id, title, feeds, value }) {
  return new Panel({
    id,
    title,
    feeds,
    kind: 'tile',
    draw: (content, ...answers) => {
      const { text, note } = value(...answers);
      clear(content, h('p', { class: 'value' }, text), h('p', { class: 'value-note' }, note ?? ''));
    },
  });
}

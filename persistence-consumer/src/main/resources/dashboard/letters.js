import { LETTER_STATES } from './address.js';
import { bytes, count, plural, time, words } from './format.js';
import { clear, each, h, table } from './html.js';
import { Panel, tile } from './panel.js';

/** Dead letters asked for at once. */
export const LETTERS = 50;

export function letterTile(letters, state) {
  return tile({
    id: 'letters-count',
    title: 'Dead letters',
    feeds: [letters],
    value: ({ deadLetters, next }) => ({ text: `${count(deadLetters.length)}${next === null ? '' : '+'}`, note: words(state()) }),
  });
}

/** The dead letters. */
export function letterPanel(letters, { linkTo, state, go }) {
  const choice = h(
    'select',
    { 'aria-label': 'Which dead letters' },
    LETTER_STATES.map((name) => h('option', { value: name }, name)),
  );
  choice.addEventListener('change', () => go({ letters: choice.value }));
  return new Panel({
    id: 'letters',
    title: 'Dead letters',
    note: 'What stood in the log and could not become a row. They wait here until somebody deals with them.',
    feeds: [letters],
    width: 'wide',
    tools: [choice],
    draw: (content, { deadLetters, next }) => {
      choice.value = state();
      if (deadLetters.length === 0) return state() === 'open' ? 'There are none.' : `There are none that are ${state()}.`;
      const rows = each(deadLetters, (letter) => [
        h('a', { href: linkTo({ letter: String(letter.id) }) }, `No. ${letter.id}`),
        time(Date.parse(letter.createdAt)),
        letter.roomId === null ? 'a whole entry' : h('a', { href: linkTo({ room: letter.roomId }) }, `#${letter.roomId}`),
        h('span', { class: 'reason' }, letter.reason),
        bytes(letter.bytes),
        words(letter.state),
      ]);
      clear(
        content,
        table('Dead letters', ['Letter', 'Since', 'Room', 'Reason', '#Size', 'State'], rows),
        next === null ? '' : h('p', { class: 'about' }, `There are more than these ${LETTERS}, the oldest.`),
      );
    },
  });
}

/** One dead letter: what it is, and what can be done about it. Asks before it acts. */
export class LetterDialog {
  #rest;
  #onChange;
  #dialog;
  #body = h('div', { class: 'letter' });
  #said = h('p', { class: 'said', role: 'status' });
  #id = null;

  /** @param onChange after something was done */
  constructor(rest, dialog, { onChange, onClose }) {
    this.#rest = rest;
    this.#dialog = dialog;
    this.#onChange = onChange;
    dialog.append(
      h('header', {}, h('h2', { id: 'letter-title' }), button('Close', 'quiet', () => dialog.close())),
      this.#body,
      this.#said,
    );
    dialog.addEventListener('close', () => {
      this.#id = null;
      onClose();
    });
  }

  /** @param id null: none is shown */
  async show(id) {
    if (id === this.#id) return;
    if (id === null) {
      if (this.#dialog.open) this.#dialog.close();
      return;
    }
    this.#id = id;
    this.#dialog.querySelector('h2').textContent = `Dead letter ${id}`;
    this.#said.textContent = '';
    clear(this.#body, h('p', { class: 'empty' }, 'Loading …'));
    if (!this.#dialog.open) this.#dialog.showModal();
    await this.#load(id);
  }

  /** The token is another one now. */
  again() {
    if (this.#id !== null) this.#load(this.#id);
  }

  async #load(id) {
    try {
      const letter = await this.#rest.get(`api/dead-letters/${id}`);
      if (id === this.#id) clear(this.#body, this.#facts(letter), this.#content(letter), this.#actions(letter.deadLetter));
    } catch (problem) {
      if (id === this.#id) clear(this.#body, h('p', { class: 'problem' }, `No answer: ${problem.message}.`));
    }
  }

  #facts({ deadLetter: letter, serverId, clientIp }) {
    const items = [
      ['Reason', letter.reason],
      ['State', letter.resolvedAt === null ? words(letter.state) : `${words(letter.state)}, ${time(Date.parse(letter.resolvedAt))}`],
      ['Since', time(Date.parse(letter.createdAt))],
      ['Room', letter.roomId ?? 'a whole entry of the log'],
      ['Message', letter.messageId ?? '–'],
      ['Place', `partition ${letter.partition}, position ${letter.position}`],
      ['Server', serverId ?? '–'],
      ['Client', clientIp ?? '–'],
      ['Size', plural(letter.bytes, 'byte', 'bytes')],
    ];
    return h('dl', { class: 'facts' }, items.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]).flat());
  }

  #content({ text, base64 }) {
    return h(
      'div',
      {},
      h('h3', {}, text === null ? 'Bytes, in base64' : 'Text'),
      h('pre', { tabindex: '0', 'aria-label': 'Content' }, text ?? base64),
    );
  }

  #actions({ id, state }) {
    if (state !== 'OPEN') return h('p', { class: 'about' }, 'It is dealt with: nothing more can be done about it.');
    const place = h('div', { class: 'actions' });
    const offer = () =>
      clear(
        place,
        button('Replay …', 'primary', () =>
          ask('Try again to store it?', 'Replay', () => this.#act(id, 'replay'))),
        button('Discard …', 'danger', () =>
          ask('Discard it? It is kept, and can never be replayed.', 'Discard', () => this.#act(id, 'discard'))),
      );
    const ask = (question, yes, act) => {
      const sure = button(yes, yes === 'Discard' ? 'danger' : 'primary', act);
      clear(place, h('p', { class: 'question', role: 'alert' }, question), sure, button('Cancel', 'quiet', () => {
        offer();
        place.querySelector('button').focus();
      }));
      sure.focus();
    };
    offer();
    return place;
  }

  async #act(id, what) {
    for (const pressed of this.#body.querySelectorAll('button')) pressed.disabled = true;
    try {
      const answer = await this.#rest.post(`api/dead-letters/${id}/${what}`);
      this.#said.textContent =
        what === 'discard'
          ? 'Discarded.'
          : answer.outcome === 'REPLAYED'
            ? `Replayed: ${plural(answer.rows, 'new row', 'new rows')}.`
            : `It stays: ${answer.reason}.`;
    } catch (problem) {
      this.#said.textContent = `Nothing was done: ${problem.message}.`;
    }
    await this.#load(id);
    this.#onChange();
  }
}

function button(text, kind, act) {
  const element = h('button', { type: 'button', class: kind }, text);
  element.addEventListener('click', act);
  return element;
}

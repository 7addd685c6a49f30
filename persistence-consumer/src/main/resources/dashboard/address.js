/**
 * The view is the fragment of the address, so a link shows the same view to everyone. A fragment never reaches a server, so
 * rooms and users stay out of request logs.
 *
 * @typedef {{span: string | null, from: number | null, to: number | null, room: string | null, user: string | null,
 *   before: string | null, after: string | null, letters: string, letter: string | null}} View
 * `span` names a time until now; null: `from` and `to`, milliseconds since 1970, are given.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Times until now, in milliseconds. */
export const SPANS = { '15m': 15 * MINUTE, '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY };
export const LONGEST = 366 * DAY;
/** Beyond it there are no counts by the hour. */
export const LONGEST_CHART = 31 * DAY;
export const LETTER_STATES = ['open', 'replayed', 'discarded', 'all'];

const USUAL = '1h';
const ROOM = /^[A-Za-z0-9_-]{1,64}$/;
const USER = /^[A-Za-z0-9._@|:-]{1,64}$/;
const NUMBER = /^[0-9]{1,19}$/;
const CURSOR = /^[A-Za-z0-9._:-]{1,80}$/;

/** Ignores invalid parts of an address, so that an old link still works. */
export function readView(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const from = Date.parse(words.get('from') ?? '');
  const to = Date.parse(words.get('to') ?? '');
  const fixed = from < to && to - from <= LONGEST;
  const span = words.get('range');
  return {
    span: fixed ? null : Object.hasOwn(SPANS, span ?? '') ? span : USUAL,
    from: fixed ? from : null,
    to: fixed ? to : null,
    room: matching(words.get('room'), ROOM),
    user: words.has('room') ? null : matching(words.get('user'), USER),
    before: matching(words.get('before'), CURSOR),
    after: words.has('before') ? null : matching(words.get('after'), CURSOR),
    letters: LETTER_STATES.includes(words.get('letters') ?? '') ? words.get('letters') : 'open',
    letter: matching(words.get('letter'), NUMBER),
  };
}

function matching(text, form) {
  return text !== null && form.test(text) ? text : null;
}

/** The shortest address that `readView` makes the same view of. */
export function writeView(view) {
  const words = new URLSearchParams();
  if (view.span === null) {
    words.set('from', new Date(view.from).toISOString());
    words.set('to', new Date(view.to).toISOString());
  } else if (view.span !== USUAL) {
    words.set('range', view.span);
  }
  for (const name of ['room', 'user', 'before', 'after']) if (view[name] !== null) words.set(name, view[name]);
  if (view.letters !== 'open') words.set('letters', view.letters);
  if (view.letter !== null) words.set('letter', view.letter);
  return `#${words}`.replaceAll('%3A', ':');
}

/**
 * From when to when, in milliseconds. Times until now end at a step a little ahead: all that is stored lies before it, and
 * viewers within the same step send the same request, so the response comes from the consumer's cache.
 */
export function rangeOf(view, now) {
  if (view.span === null) return { from: view.from, to: view.to };
  const span = SPANS[view.span];
  const step = span <= HOUR ? 5_000 : span <= DAY ? 10_000 : MINUTE;
  const to = Math.ceil(now / step) * step;
  return { from: to - span, to };
}

/** As REST has it. */
export function timesOf({ from, to }) {
  return `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
}

import { codePoints, isBlank, isUsername } from './protocol.js';

/** Names of people: `displayName` as they write it, `username` of letters and digits. */

/** Longest display name, in code points. */
export const NAME_LIMIT = 64;

/** Names remembered, to tell people of one name apart. */
const MOST_KNOWN = 5_000;

const REFUSED = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A typed name as it is sent. */
export const tidyName = (typed) => typed.normalize('NFC').trim();

export function isName(name) {
  const length = codePoints(name);
  if (length < 1 || length > NAME_LIMIT || REFUSED.test(name) || isBlank(name)) return false;
  return name.normalize('NFC') === name && !/\p{Surrogate}/u.test(name);
}

/** A username that is like the name, where that has Latin letters or digits. */
export function usernameOf(name, userId) {
  const plain = name.normalize('NFKD').replace(/[^A-Za-z0-9]/g, '').slice(0, 20);
  if (isUsername(plain)) return plain;
  return `${plain || 'user'}${userId.replace(/[^A-Za-z0-9]/g, '')}00`.slice(0, 20);
}

/** The name to show. */
export const shownName = ({ displayName, username, userId }) => displayName || username || userId;

/** Two names are one for a reader if they look alike: what is invisible, wide or a capital makes no other name of them. */
const keyOf = (person) => shownName(person).normalize('NFKC').toLowerCase().replace(INVISIBLE, '');

const known = new Map(); // key -> Map of userId -> username; the name met last at the end

/** Remembers a person, to find others of the same name. */
export function meet(person) {
  const key = keyOf(person);
  const namesakes = known.get(key) ?? new Map();
  namesakes.set(person.userId, person.username);
  known.delete(key);
  known.set(key, namesakes);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
}

/** Distinguishes a person from others of the same name: the username, or the id where usernames are equal, too; mostly empty. */
export function markOf(person) {
  const namesakes = known.get(keyOf(person));
  if (!namesakes || namesakes.size < 2) return '';
  const { userId, username } = person;
  const isTheirs = [...namesakes].some(([id, other]) => id !== userId && other === username);
  return username && !isTheirs && username !== shownName(person) ? username : `#${userId}`;
}

/** The name in a sentence. */
export function nameInText(person) {
  const mark = markOf(person);
  return mark ? `${shownName(person)} (${mark})` : shownName(person);
}

/** Shows a name, and beside it the mark of {@link markOf}. */
export function showName(nameElement, markElement, person, text = shownName(person)) {
  nameElement.textContent = text;
  nameElement.title = [`id ${person.userId}`, person.username].filter(Boolean).join(' \u00b7 ');
  const mark = markOf(person);
  markElement.textContent = mark;
  markElement.hidden = !mark;
}

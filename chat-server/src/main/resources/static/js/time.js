/** Times as the reader's place and manner have them. */

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const longDayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** Sets a time element to the hour; all of it shows when the pointer rests on it. */
export function showTime(element, timestamp) {
  const date = new Date(timestamp);
  element.dateTime = date.toISOString();
  element.textContent = clock.format(date);
  element.title = moment.format(date);
}

/** A number that is the same for all times of one local day, and grows with the days. */
export function dayOf(timestamp) {
  const date = new Date(timestamp);
  return date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate();
}

/** Sets a time element to a day of `dayOf`: Today, Yesterday, or its date. */
export function showDay(element, day) {
  const date = new Date(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);
  const now = new Date();
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  element.dateTime = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  if (day === dayOf(now)) element.textContent = 'Today';
  else if (day === dayOf(yesterday)) element.textContent = 'Yesterday';
  else element.textContent = (date.getFullYear() === now.getFullYear() ? longDay : longDayOfYear).format(date);
}

/** Numbers, durations and times for people. Null is what is not known. */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const FINE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
export const UNKNOWN = '–';

export function count(number) {
  return number === null || number === undefined ? UNKNOWN : WHOLE.format(number);
}

/** 12,345 is 12.3K: for large figures and axes. */
export function short(number) {
  if (number === null || number === undefined) return UNKNOWN;
  return Math.abs(number) < 10_000 ? (Number.isInteger(number) ? WHOLE : FINE).format(number) : SHORT.format(number);
}

export function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) return UNKNOWN;
  return perSecond < 100 ? FINE.format(perSecond) : short(Math.round(perSecond));
}

export function millis(number) {
  if (number === null || number === undefined) return UNKNOWN;
  if (number >= 10_000) return `${FINE.format(number / 1000)} s`;
  return number < 10 ? `${FINE.format(number)} ms` : `${WHOLE.format(number)} ms`;
}

export function seconds(number) {
  return number === null || number === undefined ? UNKNOWN : number === 0 ? '0 s' : millis(number * 1000);
}

export function bytes(number) {
  if (number === null || number === undefined) return UNKNOWN;
  if (number < 1024) return `${number} B`;
  return number < 1024 ** 2 ? `${FINE.format(number / 1024)} KB` : `${FINE.format(number / 1024 ** 2)} MB`;
}

/** How long ago, from milliseconds; a clock that runs ahead is now. */
export function age(number) {
  if (number === null || number === undefined) return 'age unknown';
  const whole = Math.max(0, Math.floor(number / 1000));
  if (whole < 1) return 'now';
  if (whole < 120) return `${whole} s ago`;
  if (whole < 7200) return `${Math.floor(whole / 60)} min ago`;
  return whole < 172_800 ? `${Math.floor(whole / 3600)} h ago` : `${Math.floor(whole / 86_400)} days ago`;
}

/** A bucket of a distribution: at least this value, and less than twice the value. */
export function step(atLeast) {
  return atLeast === 1 ? '1' : `${count(atLeast)}–${count(atLeast * 2 - 1)}`;
}

const TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

export function time(at) {
  return at === null || at === undefined ? UNKNOWN : TIME.format(at);
}

/** For a field of the kind `datetime-local`, in the reader's time, to the minute. */
export function localField(at) {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

export function plural(number, one, many) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** RATE_LIMITED is "rate limited". */
export function words(name) {
  return name.toLowerCase().replaceAll(/[_-]/g, ' ');
}

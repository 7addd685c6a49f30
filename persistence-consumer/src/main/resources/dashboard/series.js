/** Converts REST responses for charts: REST omits times without messages, charts need zeros. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Which counts a range is drawn by: `path` below /api/analytics, and their width in milliseconds; null: too long. */
export function bucketsFor({ from, to }) {
  const span = to - from;
  if (span <= 15 * 60_000) return { path: 'messages-per-second', width: 1000, name: 'second' };
  if (span <= DAY) return { path: 'messages-per-minute', width: 60_000, name: 'minute' };
  return span <= 31 * DAY ? { path: 'hourly', width: HOUR, name: 'hour' } : null;
}

/**
 * Returns columns of numbers: times in seconds, then each field of the buckets, 0 for a missing bucket. Omits times after
 * `until`, which are not known yet.
 */
export function columns({ from, to, buckets }, width, fields, until = Infinity) {
  const known = new Map(buckets.map((bucket) => [bucket.start, bucket]));
  const columns = [[], ...fields.map(() => [])];
  for (let start = Math.floor(from / width) * width; start < to && start + width <= until; start += width) {
    const bucket = known.get(start);
    columns[0].push(start / 1000);
    fields.forEach((field, i) => columns[i + 1].push(bucket?.[field] ?? 0));
  }
  return columns;
}

/** The mean of the last `seconds` that are counted completely. */
export function lately({ buckets }, asOf, seconds) {
  if (asOf === null) return null;
  const end = Math.floor(asOf / 1000) * 1000;
  const sum = buckets
    .filter(({ start }) => start >= end - seconds * 1000 && start < end)
    .reduce((all, { messages }) => all + messages, 0);
  return sum / seconds;
}

/** The last samples of some series, as columns; a bounded memory. */
export class Recent {
  #columns;
  #most;

  constructor(series, most) {
    this.#columns = Array.from({ length: series + 1 }, () => []);
    this.#most = most;
  }

  /** @param at seconds since 1970; a time that is not later is no new sample */
  add(at, values) {
    const times = this.#columns[0];
    if (times.length > 0 && at <= times.at(-1)) return;
    [at, ...values].forEach((value, i) => this.#columns[i].push(value));
    if (times.length > this.#most) for (const column of this.#columns) column.shift();
  }

  get columns() {
    return this.#columns;
  }
}

/** The sum of all values; null if there is none. */
export function total(list, pick) {
  const known = list.map(pick).filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** The largest of all values; null if there is none. */
export function most(list, pick) {
  const known = list.map(pick).filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}

/** For those who do not see a chart: the highest and the last value of its first series. */
export function summary(columns, unit, formatValue, formatTime) {
  const values = columns[1] ?? [];
  const last = values.findLastIndex((value) => value !== null);
  if (last < 0) return `No ${unit} yet`;
  let highest = last;
  values.forEach((value, i) => {
    if (value !== null && value > values[highest]) highest = i;
  });
  return (
    `${unit}: highest ${formatValue(values[highest])} at ${formatTime(columns[0][highest] * 1000)}, ` +
    `last ${formatValue(values[last])} at ${formatTime(columns[0][last] * 1000)}`
  );
}

/** 0 for nothing, 1 to `levels` for shares of the highest. */
export function level(value, highest, levels) {
  return value === 0 || highest === 0 ? 0 : Math.max(1, Math.ceil((value / highest) * levels));
}

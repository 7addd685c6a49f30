const grouped = (digits) => {
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (value) => format.format(value);
};
const whole = grouped(0);
const tenths = grouped(1);
const hundredths = grouped(2);
const thousandths = grouped(3);

/** About three significant digits. */
const number = (value) => {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return whole(value);
  if (size >= 10) return tenths(value);
  return size >= 0.1 ? hundredths(value) : thousandths(value);
};

/** 25M, 8.2k: for axes. */
const short = (value) => {
  for (const [size, suffix] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (Math.abs(value) >= size) return `${+(value / size).toPrecision(3)}${suffix}`;
  return `${+value.toPrecision(3)}`;
};

const bytes = (value) => {
  for (const [size, suffix] of [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']])
    if (Math.abs(value) >= size) return `${+(value / size).toPrecision(3)} ${suffix}`;
  return `${+value.toPrecision(3)} B`;
};

const millis = (value) => {
  if (value >= 1000) return `${hundredths(value / 1000)} s`;
  if (value >= 100) return `${whole(value)} ms`;
  return value >= 10 ? `${tenths(value)} ms` : `${hundredths(value)} ms`;
};

/** 1:05, 1:02:03, -0:20. */
const clock = (second) => {
  const s = Math.abs(Math.round(second));
  const sign = second < 0 ? '-' : '';
  const two = (n) => String(n).padStart(2, '0');
  const hours = Math.floor(s / 3600);
  const minutes = Math.floor(s / 60) % 60;
  return hours > 0 ? `${sign}${hours}:${two(minutes)}:${two(s % 60)}` : `${sign}${minutes}:${two(s % 60)}`;
};

/** How a unit is named beside a title, read out, and written on an axis. */
const UNITS = {
  COUNT: { name: '', text: number, tick: short },
  PER_SECOND: { name: 'per second', text: number, tick: short },
  MILLIS: { name: '', text: millis, tick: (v) => (v >= 1000 ? `${+(v / 1000).toPrecision(3)} s` : `${+v.toPrecision(3)} ms`) },
  SECONDS: { name: 's', text: (v) => `${number(v)} s`, tick: short },
  BYTES: { name: '', text: bytes, tick: bytes },
  BYTES_PER_SECOND: { name: 'per second', text: (v) => `${bytes(v)}/s`, tick: bytes },
  CORES: { name: 'cores', text: hundredths, tick: short },
  SHARE: { name: '', text: (v) => `${number(100 * v)} %`, tick: (v) => `${+(100 * v).toPrecision(4)} %` },
};

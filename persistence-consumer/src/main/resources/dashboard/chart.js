import { clear, h, table } from './html.js';
import { summary } from './series.js';

/** uPlot is a classic script of its own; see uplot/README.md. */
const { uPlot } = globalThis;

const dark = matchMedia('(prefers-color-scheme: dark)');
const HEIGHT = 220;
const ROWS = 120;
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const PRECISE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Lines over time. Screen readers read the highest and last value, and can open the numbers as a table. */
export class Chart {
  #series;
  #unit;
  #format;
  #onSelect;
  #columns = null;
  #plot = null;
  #place = h('div', { class: 'plot', role: 'img' });
  #when = h('span', { class: 'legend-when' });
  #values;
  #rows = h('div');
  #details;

  /**
   * @param series names; the first is filled
   * @param onSelect receives the selected times in milliseconds
   */
  constructor({ series, unit, format, onSelect = null }) {
    this.#series = series;
    this.#unit = unit;
    this.#format = format;
    this.#onSelect = onSelect;
    this.#values = series.map(() => h('b'));
    this.#details = h('details', { class: 'numbers' }, h('summary', {}, 'As a table'), this.#rows);
    this.#details.addEventListener('toggle', () => this.#showRows());
    this.element = h(
      'div',
      { class: 'chart' },
      h(
        'p',
        { class: 'legend' },
        series.map((name, i) =>
          h('span', {}, h('i', { class: `swatch series-${i + 1}`, 'aria-hidden': 'true' }), `${name} `, this.#values[i])),
        this.#when,
      ),
      this.#place,
      this.#details,
    );
    new ResizeObserver(() => this.#resize()).observe(this.#place);
    dark.addEventListener('change', () => this.#rebuild());
  }

  /** @param columns times in seconds, then a list of numbers for each series; null: not known */
  draw(columns) {
    this.#columns = columns;
    if (this.#plot === null) this.#rebuild();
    else this.#plot.setData(columns);
    this.#place.setAttribute(
      'aria-label',
      summary(columns, this.#unit, this.#format, (at) => MOMENT.format(at)),
    );
    this.#readOut(null); // where a pointer is, setCursor follows; until then the plot's index is that of the former columns
    this.#showRows();
  }

  #resize() {
    const width = Math.floor(this.#place.clientWidth);
    if (width === 0 || this.#columns === null) return;
    if (this.#plot === null) this.#rebuild();
    else if (this.#plot.width !== width) this.#plot.setSize({ width, height: HEIGHT });
  }

  #rebuild() {
    const width = Math.floor(this.#place.clientWidth);
    if (width === 0 || this.#columns === null) return;
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#options(width), this.#columns, this.#place);
  }

  #options(width) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--soft'),
      font: `12px ${style.fontFamily}`,
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
    };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: this.#onSelect !== null, y: false, setScale: false } },
      scales: { y: { range: (plot, lowest, highest) => [0, highest > 0 ? highest * 1.08 : 1] } },
      axes: [
        { ...axis, space: 70, values: (plot, at, index, space, step) => at.map((second) => label(second, step)) },
        { ...axis, size: 58, values: (plot, values) => values.map(this.#format) },
      ],
      series: [
        {},
        ...this.#series.map((name, i) => ({
          label: name,
          stroke: colour(`--series-${i + 1}`),
          fill: i === 0 ? colour('--series-1-paper') : undefined,
          width: 1.75,
          points: { show: this.#columns[0].length < 3 },
        })),
      ],
      hooks: {
        setCursor: [(plot) => this.#readOut(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#selected(plot)],
      },
    };
  }

  #selected(plot) {
    const { left, width } = plot.select;
    if (width < 5 || this.#onSelect === null) return;
    const from = Math.round(plot.posToVal(left, 'x')) * 1000;
    const to = Math.round(plot.posToVal(left + width, 'x')) * 1000;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (from < to) this.#onSelect({ from, to });
  }

  /** The values below the pointer, or else the last ones. */
  #readOut(index) {
    const columns = this.#columns;
    const at = index ?? columns[0].length - 1;
    this.#when.textContent = at < 0 ? '' : MOMENT.format(columns[0][at] * 1000);
    this.#values.forEach((place, i) => {
      place.textContent = at < 0 ? '' : this.#format(columns[i + 1][at]);
    });
  }

  #showRows() {
    if (!this.#details.open || this.#columns === null) return;
    const [times, ...values] = this.#columns;
    const rows = times
      .map((at, i) => [MOMENT.format(at * 1000), ...values.map((column) => this.#format(column[i]))])
      .slice(-ROWS)
      .reverse();
    clear(this.#rows, table(this.#unit, ['Time', ...this.#series.map((name) => `#${name}`)], rows));
  }
}

/** As precise as the distance of two labels, in seconds. */
function label(second, step) {
  const at = second * 1000;
  const midnight = new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0;
  if (step >= 86_400 || (midnight && step >= 60)) return DATE.format(at);
  return step >= 60 ? CLOCK.format(at) : PRECISE.format(at);
}

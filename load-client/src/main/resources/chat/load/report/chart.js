const THEME = ['panel', 'text', 'muted', 'line', 'shade', 'bad', ...Array.from({ length: 10 }, (_, i) => `c${i}`)];
const dark = matchMedia('(prefers-color-scheme: dark)');
let theme = {};
const readTheme = () => {
  const style = getComputedStyle(document.documentElement);
  theme = Object.fromEntries(THEME.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
};

const HEIGHT = 190;
const LOG_HEIGHT = 220;
const height = (spec) => spec.height ?? (spec.kind === 'LOG' ? LOG_HEIGHT : HEIGHT);
/** With this number of points, thick lines hide each other. */
const MANY = 400;
/** Seconds between two samples that still belong together. */
const LONGEST_GAP = 6;
/** The least that a logarithmic scale can show, in milliseconds: what the histograms can. */
const LEAST = 0.001;
/** Two of them fit side by side on paper. */
const PRINT_WIDTH = 316;
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800];

const charts = new Set();
/** The range that all charts over time show; null: everything. */
let zoom = null;

const setZoom = (next, from) => {
  zoom = next;
  for (const chart of charts) if (chart !== from && chart.spec.time) chart.applyZoom();
};

/**
 * A chart, drawn once it has a width, so that it may begin in a closed part of the page.
 *
 * spec: { title, unit, kind: 'LINES' | 'LOG' | 'STACKED' | 'BARS', x, xRange, time,
 *         lines: [{ label, color, values, low, high, width, points, rest }],
 *         phases: [{ name, from, to }], limit: { value, label }, range: [min, max], xTicks, xTick, height, crowded }
 * A crowded chart has no legend, but names the line next to the cursor.
 * color is a name of the theme; low and high are drawn as a range around a value. rest, [mark, value], is what the legend tells while no cursor is there.
 */
class Chart {
  constructor(spec) {
    this.spec = spec;
    this.unit = UNITS[spec.unit];
    this.off = new Set();
    this.joined = spec.lines.map((line) => (spec.time ? joined(line.values) : line.values));
    // Its height is known beforehand, so that drawing moves nothing on the page.
    this.host = el('div', { class: 'plot', style: { height: `${height(spec)}px` } });
    this.legend = el('ul', { class: 'legend' }, spec.crowded ? el('li', null, '\u00a0') : spec.lines.map((line, i) => this.#legendItem(line, i)));
    this.node = el(
      'figure',
      { class: 'chart' },
      el('figcaption', null, spec.title, el('small', null, spec.kind === 'LOG' ? 'log scale' : this.unit.name)),
      this.host,
      this.legend,
    );
    charts.add(this);
    new ResizeObserver(() => this.fit(this.host.clientWidth)).observe(this.host);
    this.#read(null);
  }

  fit(width) {
    if (width <= 0) return;
    if (this.plot) this.plot.setSize({ width, height: this.plot.height });
    else this.#draw(width);
  }

  redraw() {
    this.plot?.redraw(false, false);
  }

  applyZoom() {
    if (!this.plot) return;
    const [min, max] = zoom ?? this.spec.xRange;
    this.zooming = true;
    this.plot.setScale('x', { min, max });
    this.zooming = false;
  }

  #legendItem(line, i) {
    line.readout = el('b');
    return el(
      'li',
      null,
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': 'true',
          title: 'show or hide',
          onclick: (event) => this.#toggle(i, event.currentTarget),
        },
        el('i', { style: { '--swatch': `var(--${line.color})` } }),
        line.label,
        line.readout,
      ),
    );
  }

  #toggle(i, button) {
    const hidden = this.off.has(i);
    if (hidden) this.off.delete(i);
    else this.off.add(i);
    button.setAttribute('aria-pressed', String(hidden));
    if (!this.plot) return;
    this.plot.setSeries(i + 1, { show: hidden });
    if (this.spec.kind === 'STACKED') this.plot.setData(this.#data(), true);
    if (this.spec.time) this.applyZoom();
  }

  /** The value at an index, or the last one before it in a series that is sampled less often. */
  #at(line, index) {
    const values = this.joined[this.spec.lines.indexOf(line)];
    while (index > 0 && values[index] === undefined) index--;
    return values[index];
  }

  /** Fills the legend with the values at an index, or with the default text. */
  #read(index) {
    if (this.spec.crowded) return this.#name(index);
    for (const line of this.spec.lines) {
      const [mark, value] = index == null ? (line.rest ?? ['']) : ['', this.#at(line, index)];
      line.readout.textContent = value == null ? '' : mark + this.unit.text(value);
    }
  }

  #name(index) {
    const line = index == null ? null : this.spec.lines[this.focused - 1];
    const value = line && this.#at(line, index);
    this.legend.firstChild.replaceChildren(
      ...(value == null
        ? ['\u00a0']
        : [el('i', { style: { '--swatch': `var(--${line.color})` } }), ` ${line.label} `, el('b', null, this.unit.text(value))]),
    );
  }

  #data() {
    const { x, kind } = this.spec;
    if (kind === 'LOG') return [x, ...this.joined.map((values) => values.map((v) => (v === 0 ? LEAST : v)))];
    if (kind !== 'STACKED') return [x, ...this.joined];
    const sum = x.map(() => 0);
    return [
      x,
      ...this.joined.map((values, i) => {
        if (this.off.has(i)) return x.map(() => null);
        let last = 0;
        return values.map((value, at) => {
          if (value !== undefined) last = value ?? 0;
          return value === null && sum[at] === 0 ? null : (sum[at] += last);
        });
      }),
    ];
  }

  #draw(width) {
    const { spec, unit } = this;
    const data = this.#data();
    const font = '11px system-ui, sans-serif';
    const axis = { stroke: () => theme.muted, font, grid: { stroke: () => theme.line, width: 1 }, ticks: { show: false } };
    const paths = spec.kind === 'BARS' ? uPlot.paths.bars({ size: [0.9, Infinity] }) : undefined;
    const options = {
      width,
      height: height(spec),
      padding: [12, 16, 0, 0],
      legend: { show: false },
      focus: { alpha: 0.3 },
      cursor: {
        drag: { x: spec.time, y: false, setScale: spec.time },
        focus: { prox: spec.lines.length > 1 ? 20 : -1 },
        points: { size: 6 },
        sync: spec.time
          ? {
              key: 'time',
              scales: ['x', null],
              filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
            }
          : undefined,
      },
      scales: {
        x: { time: false, distr: spec.xLog ? 3 : 1, range: spec.time ? (_, min, max) => this.#xRange(min, max) : spec.xRange },
        y: { distr: spec.kind === 'LOG' ? 3 : 1, range: (_, min, max) => this.#yRange(min, max) },
      },
      axes: [
        {
          ...axis,
          size: 30,
          space: 56,
          incrs: spec.time ? TIME_STEPS : undefined,
          splits: spec.xTicks && (() => spec.xTicks),
          filter: spec.xTicks && ((_, splits) => splits),
          values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : (spec.xTick ?? clock)(tick))),
        },
        {
          ...axis,
          size: 58,
          space: 28,
          grid: spec.kind === 'LOG' ? { ...axis.grid, filter: (_, splits) => splits.map((v) => (isPowerOfTen(v) ? v : null)) } : axis.grid,
          values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : unit.tick(tick))),
        },
      ],
      series: [
        {},
        ...spec.lines.map((line, i) => ({
          show: !this.off.has(i),
          stroke: () => theme[line.color],
          width: line.width ?? (spec.x.length > MANY ? 1 : 1.5),
          paths,
          fill: this.#fill(line),
          points: this.#points(line, data[i + 1]),
        })),
      ],
      bands: this.#bands(),
      hooks: {
        drawClear: [(plot) => this.#shade(plot)],
        draw: [(plot) => this.#limit(plot), (plot) => this.#ranges(plot)],
        setCursor: [(plot) => this.#read(plot.cursor.idx)],
        setSeries: [(_, index, how) => how.focus != null && (this.focused = index)],
        setScale: [(plot, scale) => scale === 'x' && this.#zoomed(plot)],
      },
    };
    this.plot = new uPlot(options, data, this.host);
    if (zoom && spec.time) this.applyZoom();
  }

  #fill(line) {
    if (this.spec.kind === 'STACKED') return line === this.spec.lines[0] ? () => theme[line.color] + '66' : undefined;
    if (this.spec.kind === 'BARS') return () => theme[line.color] + 'b0';
    const alone = this.spec.lines.length === 1 && this.spec.kind === 'LINES' && this.spec.fill !== false;
    return alone ? () => theme[line.color] + '22' : undefined;
  }

  #bands() {
    const { spec } = this;
    if (spec.kind === 'STACKED')
      return spec.lines.slice(1).map((line, i) => ({ series: [i + 2, i + 1], fill: () => theme[line.color] + '66' }));
    return [];
  }

  /** A line cannot show a value that has no neighbours: such values become points. */
  #points(line, values) {
    if (line.points) return { show: true, size: 7, fill: () => theme[line.color] };
    if (this.spec.kind === 'BARS') return { show: false };
    const lonely = [];
    const empty = (i) => i < 0 || i >= values.length || values[i] === null;
    for (let i = 0; i < values.length; i++) if (values[i] != null && empty(i - 1) && empty(i + 1)) lonely.push(i);
    return { show: lonely.length > 0, size: 4, fill: () => theme[line.color], filter: () => lonely };
  }

  /** All of the time where all of the data is asked for: bars begin later than the axis does. */
  #xRange(min, max) {
    const { x, xRange } = this.spec;
    return min == null || (min <= x[0] && max >= x.at(-1)) ? xRange : [min, max];
  }

  #yRange(min, max) {
    const { spec } = this;
    if (spec.range) return spec.range;
    if (spec.kind === 'LOG') return logRange(min, max);
    const top = Math.max(max ?? 0, spec.limit?.value ?? 0);
    return [0, top > 0 ? top * 1.08 : 1];
  }

  #zoomed(plot) {
    if (!this.spec.time || this.zooming || !this.plot) return;
    const { min, max } = plot.scales.x;
    const [first, last] = this.spec.xRange;
    setZoom(min <= first && max >= last ? null : [min, max], this);
  }

  /** Phases other than the one that counts are shaded; each has its name on top. */
  #shade(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
    ctx.clip();
    ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'top';
    for (const phase of this.spec.phases ?? []) {
      const left = Math.max(bbox.left, plot.valToPos(phase.from, 'x', true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(phase.to, 'x', true));
      if (right <= left) continue;
      if (!phase.counts) {
        ctx.fillStyle = theme.shade;
        ctx.fillRect(left, bbox.top, right - left, bbox.height);
      }
      if (ctx.measureText(phase.name).width + 4 * devicePixelRatio > right - left) continue;
      ctx.fillStyle = theme.muted;
      ctx.fillText(phase.name, left + 3 * devicePixelRatio, 0);
    }
    ctx.restore();
  }

  #ranges(plot) {
    const { ctx } = plot;
    ctx.save();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    this.spec.lines.forEach((line, i) => {
      if (!line.low || this.off.has(i)) return;
      ctx.strokeStyle = theme[line.color] + '99';
      line.low.forEach((low, at) => {
        if (low == null || low === line.high[at]) return;
        const x = plot.valToPos(this.spec.x[at], 'x', true);
        ctx.beginPath();
        ctx.moveTo(x, plot.valToPos(low, 'y', true));
        ctx.lineTo(x, plot.valToPos(line.high[at], 'y', true));
        ctx.stroke();
      });
    });
    ctx.restore();
  }

  #limit(plot) {
    const { limit } = this.spec;
    if (!limit) return;
    const { ctx, bbox } = plot;
    const y = plot.valToPos(limit.value, 'y', true);
    ctx.save();
    ctx.strokeStyle = theme.bad;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    const right = bbox.left + bbox.width - 3 * devicePixelRatio;
    const width = ctx.measureText(limit.label).width;
    ctx.fillStyle = theme.panel + 'cc';
    ctx.fillRect(right - width - 2 * devicePixelRatio, y - 14 * devicePixelRatio, width + 4 * devicePixelRatio, 13 * devicePixelRatio);
    ctx.fillStyle = theme.bad;
    ctx.fillText(limit.label, right, y - 2 * devicePixelRatio);
    ctx.restore();
  }
}

/** Series sampled every few seconds are lines, too: uPlot connects over undefined, but not over null. */
const joined = (values) => {
  const result = [...values];
  let last = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (values[i] == null) continue;
    if (i - last <= LONGEST_GAP) result.fill(undefined, last + 1, i);
    last = i;
  }
  return result;
};

/** From and to a round number, at least a factor of ten apart, so that noise does not look like a mountain. */
const logRange = (min, max) => {
  if (min == null || max == null) return [1, 10];
  let low = Math.max(min, LEAST);
  let high = Math.max(max, LEAST);
  if (high / low < 10) {
    const middle = Math.sqrt(low * high);
    low = middle / Math.sqrt(10);
    high = middle * Math.sqrt(10);
  }
  return [round(low, Math.floor), round(high, Math.ceil)];
};

const isPowerOfTen = (value) => Math.abs(Math.log10(value) % 1) < 1e-9;

/** To 1, 2 or 5 of its power of ten. */
const round = (value, towards) => {
  const power = 10 ** Math.floor(Math.log10(value));
  const digits = [1, 2, 5, 10];
  const digit = towards === Math.floor ? digits.findLast((d) => d <= value / power * 1.0001) : digits.find((d) => d >= value / power * 0.9999);
  return digit * power;
};

/** Charts side by side; the first and the last are made wider where a row would otherwise stay short. */
const grid = (figures) => el('div', { class: 'charts', 'data-left-of-2': figures.length % 2, 'data-left-of-3': figures.length % 3 }, figures);

const known = (values) => values.filter((value) => value != null);
const mean = (values) => {
  const some = known(values);
  return some.length === 0 ? null : some.reduce((sum, value) => sum + value, 0) / some.length;
};

readTheme();
dark.addEventListener('change', () => {
  readTheme();
  for (const chart of charts) chart.redraw();
});
// Paper is white and narrow; both are known only now.
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('print');
  readTheme();
  for (const chart of charts) chart.fit(PRINT_WIDTH);
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('print');
  readTheme();
  for (const chart of charts) {
    chart.fit(chart.host.clientWidth);
    chart.redraw();
  }
});

/** Up to this number of runs, a row is a figure; beyond it, a row is a run. */
const SIDE_BY_SIDE = 4;
/** A ratio nearer to 1 than this says nothing. */
const NOISE = 0.05;

show((data) => {
  const { runs, figures, overlays, sweep } = data;
  const crowded = runs.length > 8;
  // Repeats of a sweep share the color of their setting.
  const color = (i) => `c${(crowded && sweep ? sweep.valueOf[i] : i) % 10}`;
  const name = (i) => [el('span', { class: 'swatch', style: { '--swatch': `var(--${color(i)})` } }), runs[i].name];
  const outcome = (run) => el('span', { class: run.passed ? 'outcome pass' : 'outcome fail' }, run.passed ? 'PASS' : 'FAIL');
  const passed = runs.filter((run) => run.passed).length;

  const value = (figure, i) => (figure.values[i] == null ? '' : UNITS[figure.unit].text(figure.values[i]));
  /** How a value stands to that of the first run. */
  const ratio = (figure, i) => {
    const first = figure.values[0];
    if (i === 0 || figure.values[i] == null || first == null || first === 0) return null;
    const share = figure.values[i] / first;
    const tone = Math.abs(share - 1) < NOISE || figure.better === 0 ? null : share > 1 === figure.better > 0 ? 'better' : 'worse';
    return el('small', { class: tone }, `× ${share < 100 ? hundredths(share) : whole(share)}`);
  };
  const label = ({ unit, label, title = label }) => (unit === 'PER_SECOND' ? `${title}/s` : title);
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  const sideBySide = () =>
    table(
      [
        { title: '', text: (row) => row.label },
        ...runs.flatMap((_, i) => [
          { title: name(i), number: true, text: (row) => row.value(i) },
          ...(i > 0 ? [{ title: '', text: (row) => row.ratio(i) }] : []),
        ]),
      ],
      [
        { label: 'verdict', value: (i) => outcome(runs[i]), ratio: () => null },
        ...figures.map((figure) => ({ label: label(figure), value: (i) => value(figure, i), ratio: (i) => ratio(figure, i) })),
      ],
      { class: 'scroll whole' },
    );

  const below = () =>
    table(
      [
        { title: 'run', text: name },
        { title: '', text: (i) => outcome(runs[i]) },
        ...(data.varied.length > 0 ? data.varied : data.plan).map((difference) => ({ title: difference.label, text: (i) => difference.values[i] })),
        ...figures.filter((figure) => figure.key).map((figure) => ({ title: label(figure), number: true, text: (i) => [value(figure, i), ratio(figure, i)].filter(Boolean) })),
      ],
      runs.map((_, i) => i),
      { class: 'scroll wide-table' },
    );

  const differences = (title, rows) =>
    rows.length > 0 &&
    el(
      'section',
      { class: 'panel' },
      el('h2', null, title, el('small', null, 'only what differs')),
      table([{ title: '', text: (row) => row.label }, ...runs.map((_, i) => ({ title: name(i), text: (row) => row.values[i] || '–' }))], rows, { class: 'scroll whole wide-table' }),
    );

  const sweepChart = (result) => {
    const bounds = result.series.flatMap((series) => [...known(series.low), ...known(series.high)]);
    const least = bounds.reduce((a, b) => Math.min(a, b), Infinity);
    const most = bounds.reduce((a, b) => Math.max(a, b), 0);
    return new Chart({
      title: capital(result.title),
      unit: result.unit,
      kind: result.kind,
      height: 260,
      x: sweep.values.map((_, i) => i),
      xRange: [-0.4, sweep.values.length - 0.6],
      xTicks: sweep.values.map((_, i) => i),
      xTick: (i) => sweep.values[i] ?? '',
      range: result.kind === 'LOG' ? logRange(least, most) : [0, most > 0 ? most * 1.08 : 1],
      fill: false,
      lines: result.series.map((series, i) => ({
        label: sweep.series[i] || 'median',
        color: `c${i % 10}`,
        points: true,
        // Between one server and another there is nothing.
        width: sweep.quantities ? undefined : 0,
        values: series.median,
        low: series.low,
        high: series.high,
      })),
    }).node;
  };

  const sweepTable = () => {
    const rows = sweep.series.flatMap((_, series) => sweep.values.map((_, value) => ({ series, value }))).filter(({ series, value }) => sweep.runs[series][value] > 0);
    const spread = (result, { series, value }) => {
      const { median, low, high } = result.series[series];
      const { text } = UNITS[result.unit];
      if (median[value] == null) return '';
      return [text(median[value]), low[value] !== high[value] && el('small', null, `${text(low[value])} to ${text(high[value])}`)];
    };
    return el(
      'div',
      { class: 'panel' },
      el('h3', null, 'By setting', el('small', null, 'median, and range of the repeats')),
      table(
        [
          { title: sweep.setting, text: ({ value }) => sweep.values[value] },
          ...(sweep.series.length > 1 ? [{ title: 'with', text: ({ series }) => sweep.series[series] }] : []),
          { title: 'runs', number: true, text: ({ series, value }) => whole(sweep.runs[series][value]) },
          ...sweep.outcomes.map((result) => ({ title: label(result), number: true, text: (row) => spread(result, row) })),
        ],
        rows,
        { class: 'scroll wide-table' },
      ),
    );
  };

  const x = Array.from({ length: overlays.seconds }, (_, i) => overlays.from + i);
  const overlay = (chart) =>
    new Chart({
      title: chart.title,
      unit: chart.unit,
      kind: chart.kind,
      x,
      time: true,
      xRange: [overlays.from, overlays.from + Math.max(1, overlays.seconds - 1)],
      fill: false,
      crowded,
      height: 220,
      phases: [{ name: 'chat begins', from: 0, to: overlays.from + overlays.seconds, counts: true }],
      lines: chart.columns.map((values, i) => ({ label: runs[i].name, color: color(i), values })),
    }).node;

  const environment = differences('Environment', data.environment);
  const whatRan = el(
    'section',
    { class: 'panel' },
    el('h2', null, 'What ran'),
    table(
      [
        { title: 'run', text: name },
        { title: 'scenario', text: (i) => runs[i].scenario },
        { title: 'size', text: (i) => runs[i].headline },
        { title: 'started', text: (i) => runs[i].startedAt.replace('T', ' ').replace('Z', ' UTC') },
        { title: 'commit', text: (i) => runs[i].commit.replace(/^(\w{10})\w*/, '$1') },
      ],
      runs.map((_, i) => i),
    ),
  );

  return [
    el(
      'header',
      { class: passed === runs.length ? 'verdict pass' : 'verdict fail' },
      el('div', { class: 'stamp' }, `${passed}/${runs.length}`),
      el(
        'div',
        null,
        el('h1', null, `Comparison of ${runs.length} runs`),
        el('p', null, passed === runs.length ? 'All of them passed every check.' : `${runs.length - passed} broke a promise: their figures are of a service that did not do its work.`),
        el('p', { class: 'quiet' }, `Ratios are to the first, ${runs[0].name}.`),
      ),
    ),
    sweep &&
      section(
        `By ${sweep.setting}`,
        'line: median, bar: range',
        grid(sweep.outcomes.map(sweepChart)),
        sweepTable(),
      ),
    runs.length > SIDE_BY_SIDE
      ? el('section', { class: 'panel' }, el('h2', null, 'Runs'), below())
      : pair(
          el('section', { class: 'panel' }, el('h2', null, 'Figures'), sideBySide()),
          el('div', { class: 'stack' }, differences('What was varied', data.varied), differences('Plan', data.plan), environment, whatRan),
        ),
    runs.length > SIDE_BY_SIDE && environment,
    section(
      'Over time',
      'each from the beginning of its chat; drag to zoom, double-click to go back',
      crowded && sweep && el('p', { class: 'quiet hint' }, `${sweep.setting}:`, el('span', { class: 'keys' }, sweep.values.map((text, i) => el('span', null, el('span', { class: 'swatch', style: { '--swatch': `var(--c${i % 10})` } }), text)))),
      grid(overlays.charts.map(overlay)),
    ),
    runs.length > SIDE_BY_SIDE && whatRan,
  ].filter(Boolean);
});

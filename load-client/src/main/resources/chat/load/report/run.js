const SOURCES = { generator: 'c8', consumer: 'c2', rabbitmq: 'c1', postgresql: 'c3' };
const CHAT_SERVERS = ['c0', 'c9', 'c4', 'c5'];
const PERCENTILES = { p50: 'c0', p95: 'c2', p99: 'c1', max: 'c8' };
const PALETTE = Array.from({ length: 10 }, (_, i) => `c${i}`);

show((data) => {
  const { summary, catalogue } = data;
  const { verdict } = summary;
  const x = Array.from({ length: data.seconds }, (_, i) => i);
  const time = { x, time: true, xRange: [0, Math.max(1, data.seconds - 1)], phases: data.phases.map((phase) => ({ ...phase, counts: phase.name === data.chat.name })) };
  const atRest = (chart, values) => {
    // A mean of percentiles means nothing.
    if (chart.kind === 'LOG') return null;
    if (chart.events) return ['Σ ', known(values).reduce((sum, value) => sum + value, 0)];
    return ['ø ', mean(values.slice(data.chat.from, data.chat.to))];
  };

  const sources = new Map();
  const sourceColor = (source) => {
    if (SOURCES[source]) return SOURCES[source];
    if (!sources.has(source)) sources.set(source, [...CHAT_SERVERS, ...PALETTE][sources.size % 14]);
    return sources.get(source);
  };

  const overTime = (chart, more = {}) => {
    const bySource = chart.lines.some((line) => line.source !== 'client') && new Set(chart.lines.map((line) => line.source)).size === chart.lines.length;
    return new Chart({
      ...time,
      ...more,
      title: chart.title,
      unit: chart.unit,
      kind: chart.kind,
      lines: chart.lines.map((line, i) => {
        const last = line.series.slice(line.series.lastIndexOf('.') + 1);
        return {
          label: line.label,
          values: data.columns[line.series],
          color: chart.kind === 'LOG' ? PERCENTILES[last] : bySource ? sourceColor(line.source) : PALETTE[i % PALETTE.length],
          width: chart.kind === 'LOG' && last === 'max' ? 1 : undefined,
          rest: atRest(chart, data.columns[line.series]),
        };
      }),
    }).node;
  };

  const limits = {
    CPU: { value: data.cores, label: `${data.cores} cores` },
    'CPU, the whole machine': { value: data.cores, label: `${data.cores} cores` },
    'Messages in flight': summary.littlesLaw && { value: summary.littlesLaw.predicted, label: 'λ × W' },
  };

  const groups = catalogue.groups.map((group) => {
    const all = group.sameScale && group.charts.flatMap((chart) => chart.lines.flatMap((line) => known(data.columns[line.series])));
    const range = all && logRange(all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), 0));
    return section(
      group.title,
      group.sameScale ? 'one scale for all' : null,
      grid([
        group.charts.map((chart) => overTime(chart, range ? { range } : { limit: limits[chart.title] })),
        group.title === 'Load' ? (buckets() ?? []) : [],
        group.sameScale ? (distribution() ?? []) : [],
      ].flat()),
      group.sameScale && latencies(),
    );
  });

  function distribution() {
    const { oneIn, millis: curves } = data.distribution;
    if (oneIn.length === 0) return null;
    return new Chart({
      title: 'Distribution: so many were at least as fast',
      unit: 'MILLIS',
      kind: 'LOG',
      x: oneIn,
      xLog: true,
      xRange: [1, Math.max(10, oneIn.at(-1))],
      xTicks: [2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter((tick) => tick <= oneIn.at(-1)),
      xTick: (tick) => `${+(100 * (1 - 1 / tick)).toFixed(4)} %`,
      lines: Object.entries(curves).map(([name, values], i) => ({ label: name, values, color: PALETTE[i % PALETTE.length] })),
    }).node;
  }

  function latencies() {
    const rows = Object.entries(summary.latencyMillis);
    if (rows.length === 0) return null;
    const column = (title, key) => ({ title, number: true, text: ([, p]) => millis(p[key]) });
    return el(
      'div',
      { class: 'panel' },
      el('h3', null, 'The whole run'),
      table(
        [
          { title: '', text: ([name]) => name },
          { title: 'count', number: true, text: ([, p]) => whole(p.count) },
          column('min', 'min'),
          column('mean', 'mean'),
          column('p50', 'p50'),
          column('p90', 'p90'),
          column('p95', 'p95'),
          column('p99', 'p99'),
          column('p99.9', 'p999'),
          column('max', 'max'),
        ],
        rows,
      ),
    );
  }

  function buckets() {
    if (data.buckets.length === 0) return null;
    return new Chart({
      ...time,
      title: 'Accepted, in steps of 10 seconds from the first send',
      unit: 'PER_SECOND',
      kind: 'BARS',
      x: data.buckets.map((bucket) => data.firstSend + bucket.from + bucket.seconds / 2),
      lines: [{ label: 'accepted', color: 'c0', values: data.buckets.map((bucket) => bucket.accepted) }],
    }).node;
  }

  const ramp = () => {
    const rows = data.ramp.filter((step) => step.attempts > 0 || step.failed > 0 || step.event !== '');
    if (rows.length === 0) return null;
    return el(
      'div',
      { class: 'panel' },
      el('h3', null, 'Ramp, in steps of 10 seconds', el('small', null, 'those in which something happened')),
      table(
        [
          { title: 'from', text: (step) => clock(step.from) },
          { title: 'attempts', number: true, text: (step) => step.attempts != null && whole(step.attempts) },
          { title: 'active', number: true, text: (step) => step.active != null && whole(step.active) },
          { title: 'failed', number: true, text: (step) => step.failed != null && whole(step.failed), tone: (step) => step.failed > 0 && 'bad' },
          { title: 'success', number: true, text: (step) => step.successPercent != null && `${tenths(step.successPercent)} %` },
          { title: 'servers, cores', number: true, text: (step) => step.serversCpu != null && hundredths(step.serversCpu) },
          { title: 'generator, cores', number: true, text: (step) => step.generatorCpu != null && hundredths(step.generatorCpu) },
          { title: 'event', text: (step) => step.event },
        ],
        rows,
      ),
    );
  };

  const rooms = () => {
    if (data.rooms.length === 0) return null;
    const most = Math.max(...data.rooms.map((room) => room.perSecond));
    const sorted = [...data.rooms].sort((a, b) => a.perSecond - b.perSecond);
    const many = data.rooms.length > 60;
    const rows = many ? [...sorted.slice(0, 20), ...sorted.slice(-20)] : data.rooms;
    return el(
      'div',
      { class: 'panel' },
      el(
        'h3',
        null,
        'Throughput per room',
        el('small', null, `${whole(data.rooms.length)} rooms, ${number(sorted[0].perSecond)} to ${number(most)} per second${many ? '; the 20 slowest and fastest' : ''}`),
      ),
      table(
        [
          { title: 'room', text: (room) => room.room },
          { title: 'accepted', number: true, text: (room) => whole(room.accepted) },
          { title: 'deliveries', number: true, text: (room) => whole(room.deliveries) },
          { title: 'accepted/s', number: true, text: (room) => number(room.perSecond), bar: (room) => (most > 0 ? room.perSecond / most : 0) },
        ],
        rows,
      ),
    );
  };

  const little = () => {
    const law = summary.littlesLaw;
    if (!law) return null;
    return el(
      'div',
      { class: 'panel' },
      el('h3', null, "Little's law", el('small', null, 'L = λ × W, over the chat phase')),
      el(
        'div',
        { class: 'little' },
        [
          ['λ, accepted', `${number(law.perSecond)}/s`],
          ['W, mean to ACK', millis(law.meanMillis)],
          ['L predicted', number(law.predicted)],
          ['L measured', number(law.measured)],
          ['ratio', hundredths(law.ratio)],
        ].map(([label, value]) => el('div', null, el('b', null, value), el('span', null, label))),
      ),
    );
  };

  const types = () => {
    const rows = Object.entries(summary.messages).sort(([, a], [, b]) => b.sent - a.sent);
    const all = rows.reduce((sum, [, count]) => sum + count.sent, 0);
    if (all === 0) return null;
    return el(
      'div',
      { class: 'panel' },
      el('h3', null, 'Message types'),
      table(
        [
          { title: 'type', text: ([type]) => type },
          { title: 'sent', number: true, text: ([, count]) => whole(count.sent) },
          { title: 'failed', number: true, text: ([, count]) => whole(count.sent - count.successful), tone: ([, count]) => count.successful < count.sent && 'bad' },
          { title: 'share', number: true, text: ([, count]) => `${tenths((100 * count.sent) / all)} %`, bar: ([, count]) => count.sent / all },
        ],
        rows,
      ),
    );
  };

  const warmUp = () => {
    const warm = summary.warmUp;
    if (!warm) return null;
    const ack = warm.latencyMillis['frame to ACK'];
    return el(
      'div',
      { class: 'panel' },
      el('h3', null, 'Warm-up', el('small', null, 'in none of the other figures')),
      el(
        'p',
        null,
        warm.rounds > 1 && `${warm.rounds} rounds, `,
        `${whole(warm.connections)} connections, ${whole(warm.accepted)} of ${whole(warm.sent)} messages accepted in ${number(warm.seconds)} s`,
        warm.seconds > 0 && `, ${number(warm.accepted / warm.seconds)}/s`,
        ack && `; frame to ACK${warm.rounds > 1 ? ' in the last round' : ''} p50 ${millis(ack.p50)}, p99 ${millis(ack.p99)}`,
        '.',
      ),
    );
  };

  const checks = () => {
    const order = { FAIL: 0, SKIPPED: 1, PASS: 2 };
    return el(
      'ul',
      { class: 'checks' },
      [...verdict.checks]
        .sort((a, b) => order[a.status] - order[b.status])
        .map((check) =>
          el(
            'li',
            { class: check.status.toLowerCase() },
            el('span', { class: 'mark', 'aria-label': check.status }),
            el('span', null, check.name, check.status === 'SKIPPED' && el('small', null, ` not checked: ${check.examples.join(', ')}`)),
            check.status === 'FAIL' && el('b', null, whole(check.count)),
            check.status === 'FAIL' && el('ul', { class: 'examples' }, check.examples.map((example) => el('li', null, example))),
          ),
        ),
    );
  };

  const stack = (...children) => children.some(Boolean) && el('div', { class: 'stack' }, children);

  const order = { SATURATED: 0, NOTICE: 1, INFO: 2 };
  const findings = [...summary.findings].sort((a, b) => order[a.level] - order[b.level]);
  const absent = [
    catalogue.notMeasured.length > 0 && `Not measured: ${catalogue.notMeasured.join(' · ')}`,
    catalogue.nothingHappened.length > 0 && `Zero throughout: ${catalogue.nothingHappened.join(' · ')}`,
  ].filter(Boolean);

  return [
    el(
      'header',
      { class: summary.passed ? 'verdict pass' : 'verdict fail' },
      el('div', { class: 'stamp' }, summary.passed ? 'PASS' : 'FAIL'),
      el(
        'div',
        null,
        el('h1', null, summary.scenario, el('small', null, summary.headline)),
        el(
          'p',
          null,
          `${whole(verdict.invoked)} sent, ${whole(verdict.accepted)} accepted, ${whole(verdict.refused)} refused, `,
          `${whole(verdict.unknown)} unknown, ${whole(verdict.stored)} stored, ${whole(verdict.received)} of ${whole(verdict.expected)} deliveries received. `,
          el('b', null, `${data.checks}.`),
        ),
        el(
          'p',
          { class: 'quiet' },
          ['run ' + summary.run, summary.startedAt.replace('T', ' ').replace('Z', ' UTC'), data.version && `Confab ${data.version}`, summary.commit && `commit ${summary.commit.replace(/^(\w{10})\w*/, '$1')}`]
            .filter(Boolean)
            .join(' · '),
        ),
        summary.sharesMachine && el('p', { class: 'quiet' }, `Generator and servers share this machine's ${data.cores} cores: figures include both.`),
      ),
    ),
    el(
      'div',
      { class: 'tiles' },
      data.tiles.map((tile) =>
        el('div', { class: tile.bad ? 'tile bad' : 'tile' }, el('span', null, tile.label), el('b', null, tile.value, tile.unit && el('small', null, ' ' + tile.unit)), el('small', null, tile.note)),
      ),
    ),
    el(
      'div',
      { class: 'pair' },
      el('section', { class: 'panel' }, el('h2', null, 'What was checked'), checks()),
      el(
        'section',
        { class: 'panel' },
        el('h2', null, 'Where the time goes'),
        findings.length === 0
          ? el('p', { class: 'quiet' }, 'Nothing was sampled but the load itself.')
          : el('ul', { class: 'findings' }, findings.map((finding) => el('li', { class: finding.level.toLowerCase() }, el('span', { class: 'chip' }, finding.resource), finding.text))),
      ),
    ),
    data.seconds > 0 && el('p', { class: 'quiet hint' }, 'Drag over a chart to zoom into all of them, double-click to go back. A legend entry hides its line; ø is the mean of the chat phase, Σ the sum of the run.'),
    ...groups,
    !catalogue.groups.some((group) => group.sameScale) && section('Latency', null, distribution(), latencies()),
    section('Throughput', null, pair(rooms(), stack(little(), types(), warmUp()))),
    ramp(),
    absent.length > 0 && el('div', { class: 'quiet hint' }, absent.map((line) => el('div', null, line))),
    catalogue.others.length > 0 &&
      el(
        'details',
        { class: 'panel' },
        el('summary', null, 'Everything else that was sampled', el('small', null, `${catalogue.others.length} charts`)),
        el('div', { class: 'charts small' }, catalogue.others.map((chart) => overTime(chart, { height: 120 }))),
      ),
    el(
      'details',
      { class: 'panel' },
      el('summary', null, "The platform's metrics", el('small', null, data.platform.url ?? `none: ${data.platform.reason}`)),
      data.platform.url != null && el('div', { class: 'json' }, tree(data.platform.body)),
    ),
    el(
      'div',
      { class: 'pair' },
      el('section', { class: 'panel' }, el('h2', null, 'Plan'), facts(data.plan)),
      el('section', { class: 'panel' }, el('h2', null, 'Environment'), facts(data.environment)),
    ),
    el('footer', null, 'In the folder of this file: summary.json, plan.json, environment.json, samples.csv, rooms.csv, ramp.csv, buckets.csv, metrics.json, histograms.json, histograms/*.hgrm. Charts by uPlot.'),
  ].filter(Boolean);
});

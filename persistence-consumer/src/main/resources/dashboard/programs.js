import { Chart } from './chart.js';
import { age, bytes, count, millis, plural, rate, seconds, short, words } from './format.js';
import { bars, clear, each, h, table } from './html.js';
import { Panel, tile } from './panel.js';
import { Recent, most, total } from './series.js';

/** Ten minutes at a sample every two seconds. */
const SAMPLES = 300;
const UNNAMED = 'No chat servers are named: CHAT_DASHBOARD_SERVERS of the consumer lists them.';

const figuresOf = ({ servers }) => servers.map(({ figures }) => figures).filter((figures) => figures !== null);

/** The state of the programs. */
export function programTiles({ servers, consumer }) {
  return [
    tile({
      id: 'connections',
      title: 'Connections',
      feeds: [servers],
      value: (answer) => ({
        text: short(total(figuresOf(answer), ({ connections }) => connections)),
        note: answered(answer),
      }),
    }),
    tile({
      id: 'deliveries',
      title: 'Deliveries now',
      feeds: [servers],
      value: (answer) => ({
        text: rate(total(figuresOf(answer), ({ deliveriesPerSecond }) => deliveriesPerSecond)),
        note: 'per second: messages times members',
      }),
    }),
    tile({
      id: 'latency',
      title: 'Accepted within',
      feeds: [servers],
      value: (answer) => ({
        text: millis(most(figuresOf(answer), ({ accepted }) => accepted.p99)),
        note: '99 of 100 entries, the slowest server',
      }),
    }),
    tile({
      id: 'lag',
      title: 'Stored behind',
      feeds: [consumer],
      value: ({ health }) => ({
        text: seconds(most(health.partitions, ({ lagSeconds }) => lagSeconds)),
        note: plural(total(health.partitions, ({ waiting }) => waiting) ?? 0, 'message waits', 'messages wait'),
      }),
    }),
  ];
}

function answered(answer) {
  const all = answer.servers.length;
  const up = figuresOf(answer).length;
  return up === all ? `of ${plural(all, 'server', 'servers')}` : `of ${up} servers; ${all - up} do not answer`;
}

export function programPanels({ servers, consumer }) {
  return [
    trafficPanel(servers),
    latencyPanel(servers),
    new Panel({
      id: 'servers',
      title: 'Chat servers',
      note: 'Rates and percentiles are of the last 15 seconds.',
      feeds: [servers],
      width: 'wide',
      draw: (content, answer) => {
        if (answer.servers.length === 0) return UNNAMED;
        clear(content, serverTable(answer.servers));
      },
    }),
    new Panel({
      id: 'partitions',
      title: 'Partitions of the log',
      note: 'How far behind the consumer and each server are.',
      feeds: [consumer, servers],
      width: 'wide',
      draw: (content, { health }, { servers: list }) => {
        if (health.partitions.length === 0) return 'The consumer has not begun to read.';
        clear(content, partitionTable(health.partitions, list));
      },
    }),
    new Panel({
      id: 'batches',
      title: 'Batches',
      note: 'How the consumer writes to PostgreSQL, since its start.',
      feeds: [consumer],
      draw: (content, { figures }) => {
        if (figures === null) return 'The consumer collects no metrics.';
        clear(content, batchList(figures));
      },
    }),
    new Panel({
      id: 'refusals',
      title: 'Refusals',
      note: 'By reason, since the start of each program.',
      feeds: [servers, consumer],
      draw: (content, answer, { figures }) => {
        const rows = refusals(answer, figures);
        if (rows.length === 0) return 'Nothing was refused.';
        clear(content, bars('Refusals by reason', rows));
      },
    }),
  ];
}

function trafficPanel(servers) {
  const recent = new Recent(2, SAMPLES);
  const chart = new Chart({ series: ['deliveries', 'taken'], unit: 'Messages per second', format: short });
  return new Panel({
    id: 'traffic',
    title: 'Deliveries and messages taken',
    note: 'Per second, all servers, since this page was opened.',
    feeds: [servers],
    draw: (content, answer) => {
      if (answer.servers.length === 0) return UNNAMED;
      const figures = figuresOf(answer);
      const deliveries = total(figures, ({ deliveriesPerSecond }) => deliveriesPerSecond);
      if (deliveries !== null)
        recent.add(newest(answer), [deliveries, total(figures, ({ takenPerSecond }) => takenPerSecond)]);
      return drawRecent(content, chart, recent);
    },
  });
}

function latencyPanel(servers) {
  const recent = new Recent(3, SAMPLES);
  const chart = new Chart({ series: ['p50', 'p95', 'p99'], unit: 'Milliseconds until accepted', format: millis });
  return new Panel({
    id: 'latencies',
    title: 'Until a message is accepted',
    note: 'From writing an entry to the log until it is read back; the slowest server.',
    feeds: [servers],
    draw: (content, answer) => {
      if (answer.servers.length === 0) return UNNAMED;
      const slowest = ['p50', 'p95', 'p99'].map((name) => most(figuresOf(answer), ({ accepted }) => accepted[name]));
      if (slowest[0] !== null) recent.add(newest(answer), slowest);
      return drawRecent(content, chart, recent);
    },
  });
}

/** In seconds since 1970. */
function newest({ servers }) {
  return (most(servers, ({ asOf }) => asOf) ?? 0) / 1000;
}

function drawRecent(content, chart, recent) {
  if (recent.columns[0].length === 0) return 'Measured from the second look on …';
  if (chart.element.parentNode !== content) clear(content, chart.element);
  content.hidden = false;
  chart.draw(recent.columns);
  return null;
}

function serverTable(servers) {
  const head = ['Server', 'State', '#Connections', '#Sessions', '#In rooms', '#Taken/s', '#Delivered/s', '#p50', '#p95', '#p99', '#Waiting', '#Age'];
  const rows = each(servers, ({ name, address, ageMillis, error, figures }) => {
    const shown = h('span', { title: address }, name);
    const state = (good, text) => h('span', { class: good ? 'good' : 'bad' }, text);
    if (figures === null)
      return [shown, state(false, error), ...Array(9).fill('–'), ageMillis === null ? 'never' : age(ageMillis)];
    const { log, breaker, refusing, accepted } = figures;
    const good = log === 'UP' && !refusing && (breaker === null || breaker === 'CLOSED');
    const text = refusing ? 'refuses sockets' : good ? 'up' : `log ${words(log ?? 'unknown')}`;
    return [
      shown,
      state(good, text),
      count(figures.connections),
      count(figures.sessions),
      count(figures.memberships),
      rate(figures.takenPerSecond),
      rate(figures.deliveriesPerSecond),
      millis(accepted.p50),
      millis(accepted.p95),
      millis(accepted.p99),
      bytes(figures.outboxBytes),
      age(ageMillis),
    ];
  });
  return table('Chat servers', head, rows);
}

function partitionTable(partitions, servers) {
  const readers = servers.filter(({ figures }) => figures !== null);
  const head = ['Partition', 'Consumer', '#Waiting', '#Stored behind', ...readers.map(({ name }) => `#${name} reads behind`)];
  const rows = each(partitions, ({ partition, state, waiting, lagSeconds }) => [
    String(partition),
    h('span', { class: state === 'READING' ? 'good' : state === 'FENCED' || state === 'STOPPED' ? 'bad' : 'neutral' }, words(state)),
    count(waiting),
    seconds(lagSeconds),
    ...readers.map(({ figures }) => {
      const read = figures.partitions.find((one) => one.partition === partition);
      return read === undefined ? 'not read' : seconds(read.seconds);
    }),
  ]);
  return table('Partitions', head, rows);
}

function batchList({ batches, stored, storedPerSecond, duplicates, deadLetters, gaps, retries }) {
  const { meanSize, largest, writing, written, closedBy } = batches;
  const items = [
    ['Stored', `${count(stored)}, ${rate(storedPerSecond)}/s now`],
    ['Messages in a batch', `${meanSize === null ? '–' : count(Math.round(meanSize))} now, ${count(largest)} at most lately`],
    ['Until committed', `p50 ${millis(writing.p50)}, p95 ${millis(writing.p95)}, p99 ${millis(writing.p99)}`],
    ['Batches', `${count(written)}: ${Object.entries(closedBy).filter(([, closed]) => closed > 0).map(([cause, closed]) => `${count(closed)} by ${cause}`).join(', ') || 'none'}`],
    ['Sent again', count(duplicates)],
    ['Became dead letters', count(deadLetters)],
    ['Gaps in the log', count(gaps)],
    ['Attempts made again', count(retries)],
  ];
  return h('dl', { class: 'facts' }, items.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]).flat());
}

/** Of all servers together, and of the consumer's REST. */
function refusals({ servers }, consumer) {
  const rows = new Map();
  const add = (what, reason, value, perSecond) => {
    const name = `${what}: ${words(reason)}`;
    const row = rows.get(name) ?? { name, value: 0, perSecond: 0 };
    rows.set(name, { name, value: row.value + value, perSecond: row.perSecond + (perSecond ?? 0) });
  };
  for (const { figures } of servers) {
    for (const { what, reason, total: all, perSecond } of figures?.refusals ?? []) add(words(what), reason, all, perSecond);
  }
  for (const [reason, all] of Object.entries(consumer?.refusals ?? {})) add('question', reason, all, null);
  return [...rows.values()]
    .sort((one, other) => other.value - one.value)
    .map(({ name, value, perSecond }) => ({
      name,
      value,
      shown: count(value),
      note: perSecond > 0 ? `${rate(perSecond)}/s now` : null,
    }));
}

import { LONGEST_CHART } from './address.js';
import { Chart } from './chart.js';
import { count, plural, rate, short, step } from './format.js';
import { bars, clear, h } from './html.js';
import { Panel, tile } from './panel.js';
import { bucketsFor, columns, lately, level } from './series.js';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const LEVELS = 6;
const SECONDS = 10;
const QUIET = 'No messages in this time.';

/** User activity, from the stored messages. */
export function activityTiles({ live, active }) {
  return [
    tile({
      id: 'now',
      title: 'Messages now',
      feeds: [live],
      value: (answer) => ({ text: rate(lately(answer, answer.asOf, SECONDS)), note: `stored per second, mean of ${SECONDS} s` }),
    }),
    tile({
      id: 'active-users',
      title: 'Active users',
      feeds: [active],
      value: ({ activeUsers }) => ({ text: short(activeUsers), note: 'in the chosen time' }),
    }),
    tile({
      id: 'messages-total',
      title: 'Messages',
      feeds: [active],
      value: ({ messages }) => ({ text: short(messages), note: 'in the chosen time' }),
    }),
  ];
}

/**
 * @param place tells `linkTo(change)`, the address of another view
 * @param range tells the chosen time
 * @param choose receives the selected range
 */
export function activityPanels({ live, activity, topRooms, topUsers, participation }, { linkTo, range, choose }) {
  return [
    livePanel(live),
    activityPanel(activity, range, choose),
    new Panel({
      id: 'top-rooms',
      title: 'Busiest rooms',
      feeds: [topRooms],
      draw: (content, { rooms }) => {
        if (rooms.length === 0) return QUIET;
        clear(content, bars('Busiest rooms', rooms.map(({ roomId, messages }) => ({
          name: h('a', { href: linkTo({ room: roomId }) }, `#${roomId}`),
          value: messages,
          shown: count(messages),
        }))));
      },
    }),
    new Panel({
      id: 'top-users',
      title: 'Busiest users',
      feeds: [topUsers],
      draw: (content, { users }) => {
        if (users.length === 0) return QUIET;
        clear(content, bars('Busiest users', users.map(({ userId, messages }) => ({
          name: h('a', { href: linkTo({ user: userId }) }, userId),
          value: messages,
          shown: count(messages),
        }))));
      },
    }),
    new Panel({
      id: 'week',
      title: 'When people talk',
      note: 'Messages by weekday and hour, in UTC.',
      feeds: [participation],
      width: 'wide',
      draw: (content, { hoursOfWeek }) => {
        const highest = Math.max(...hoursOfWeek.flat());
        if (highest === 0) return QUIET;
        clear(content, heatMap(hoursOfWeek, highest));
      },
    }),
    new Panel({
      id: 'by-messages',
      title: 'How much people write',
      note: 'Users by how many messages they have.',
      feeds: [participation],
      draw: (content, { usersByMessages }) => steps(content, usersByMessages, 'message', 'messages'),
    }),
    new Panel({
      id: 'by-rooms',
      title: 'In how many rooms',
      note: 'Users by how many rooms they were in.',
      feeds: [participation],
      draw: (content, { usersByRooms }) =>
        usersByRooms === null ? 'Too many messages in this time to count it.' : steps(content, usersByRooms, 'room', 'rooms'),
    }),
  ];
}

function livePanel(live) {
  const chart = new Chart({ series: ['messages'], unit: 'Messages per second', format: short });
  return new Panel({
    id: 'live',
    title: 'Live: messages per second',
    note: 'The last five minutes, as they are stored.',
    feeds: [live],
    draw: (content, answer) => {
      if (answer.buckets.length === 0) return 'No messages in the last five minutes.';
      if (chart.element.parentNode !== content) clear(content, chart.element);
      content.hidden = false;
      chart.draw(columns(answer, 1000, ['messages'], answer.asOf ?? Infinity));
    },
  });
}

function activityPanel(activity, range, choose) {
  const chart = new Chart({
    series: ['messages', 'users', 'rooms'],
    unit: 'Messages, users and rooms',
    format: short,
    onSelect: choose,
  });
  const single = new Chart({ series: ['messages'], unit: 'Messages', format: short, onSelect: choose });
  return new Panel({
    id: 'activity',
    title: 'Messages in the chosen time',
    note: 'Draw over a part of it to choose that time.',
    idle: 'This time is too long for a chart: choose at most 31 days.',
    feeds: [activity],
    draw: (content, answer) => {
      if (answer.buckets.length === 0) return QUIET;
      const { width, name } = bucketsFor(range());
      const shown = width === 1000 ? single : chart;
      if (shown.element.parentNode !== content) {
        clear(content, shown.element, h('p', { class: 'about' }));
      }
      content.hidden = false;
      content.lastChild.textContent = `Counted by the ${name}.`;
      const fields = width === 1000 ? ['messages'] : ['messages', 'users', 'rooms'];
      shown.draw(columns(answer, width, fields, answer.asOf ?? Infinity));
    },
  });
}

function heatMap(week, highest) {
  const hours = Array.from({ length: 24 }, (unused, hour) => String(hour).padStart(2, '0'));
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Messages by weekday and hour' },
    h(
      'table',
      { class: 'heat' },
      h('caption', { class: 'unseen' }, 'Messages by weekday and hour, in UTC'),
      h('thead', {}, h('tr', {}, h('td'), hours.map((hour) => h('th', { scope: 'col' }, hour)))),
      h('tbody', {}, week.map((day, i) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, h('span', { class: 'unseen' }, DAYS[i]), h('span', { 'aria-hidden': 'true' }, DAYS[i].slice(0, 3))),
          day.map((messages, hour) =>
            h(
              'td',
              { class: `heat-${level(messages, highest, LEVELS)}`, title: `${DAYS[i]} ${hours[hour]}:00, ${plural(messages, 'message', 'messages')}` },
              h('span', { class: 'unseen' }, count(messages)),
            )),
        ))),
    ),
  );
}

function steps(content, list, one, many) {
  if (list.length === 0) return QUIET;
  clear(content, bars(`Users by ${many}`, list.map(({ atLeast, users }) => ({
    name: `${step(atLeast)} ${atLeast === 1 ? one : many}`,
    value: users,
    shown: plural(users, 'user', 'users'),
  }))));
  return null;
}

/** Returns the request for the chart of a range; null if the range is too long. */
export function activityPath(range) {
  return range.to - range.from > LONGEST_CHART ? null : bucketsFor(range).path;
}

import { SPANS, rangeOf, readView, timesOf, writeView } from './address.js';
import { Feed } from './feed.js';
import { localField } from './format.js';
import { h } from './html.js';
import { HistoryView } from './history.js';
import { LETTERS, LetterDialog, letterPanel, letterTile } from './letters.js';
import { activityPanels, activityPath, activityTiles } from './overview.js';
import { programPanels, programTiles } from './programs.js';
import { Rest } from './rest.js';

const OFTEN = 2_000;
const RANGE = 5_000;
const LIVE = 5 * 60_000;
const TOP = 10;

const byId = (id) => document.getElementById(id);
const rest = new Rest();
let view = readView(location.hash);

/** A link to the overview of the chosen time, or with `change` to something in it. */
const linkTo = (change) => {
  const { span, from, to, letters } = view;
  return writeView({ span, from, to, letters, room: null, user: null, before: null, after: null, letter: null, ...change });
};

/** Changes the view, and with it the address: the browser's back button undoes it. */
function go(change) {
  location.hash = writeView({ ...view, ...change });
}

const range = () => rangeOf(view, rest.now());
const analytics = (name) => `api/analytics/${name}`;
const ofRange = (name, more = '') => () => `${analytics(name)}?${timesOf(range())}${more}`;

const live = new Feed(rest, livePath, OFTEN);
const ranged = {
  activity: new Feed(rest, () => {
    const path = activityPath(range());
    return path === null ? null : ofRange(path)();
  }, RANGE),
  active: new Feed(rest, ofRange('active-users'), RANGE),
  topRooms: new Feed(rest, ofRange('top-rooms', `&limit=${TOP}`), RANGE),
  topUsers: new Feed(rest, ofRange('top-users', `&limit=${TOP}`), RANGE),
  participation: new Feed(rest, ofRange('participation'), RANGE),
};
const programs = { servers: new Feed(rest, () => 'api/servers', OFTEN), consumer: new Feed(rest, () => 'api/consumer', OFTEN) };
const letters = new Feed(rest, () => `api/dead-letters?state=${view.letters}&limit=${LETTERS}`, RANGE);
const feeds = [live, ...Object.values(ranged), ...Object.values(programs), letters];

/** All who look ask for the same five minutes within two seconds. */
function livePath() {
  const to = Math.ceil(rest.now() / OFTEN) * OFTEN;
  return `${analytics('messages-per-second')}?${timesOf({ from: to - LIVE, to })}`;
}

const tiles = [
  ...activityTiles({ live, active: ranged.active }),
  ...programTiles(programs),
  letterTile(letters, () => view.letters),
];
const panels = [
  ...activityPanels({ live, ...ranged }, { linkTo, range, choose: ({ from, to }) => go({ span: null, from, to }) }),
  ...programPanels(programs),
  letterPanel(letters, { linkTo, state: () => view.letters, go }),
];
byId('tiles').append(...tiles.map(({ element }) => element));
byId('panels').append(...panels.map(({ element }) => element));

const history = new HistoryView(rest, byId('detail'), linkTo);
const letterDialog = new LetterDialog(rest, byId('letter-dialog'), {
  onChange: () => letters.again(),
  onClose: () => {
    if (view.letter !== null) go({ letter: null });
  },
});

setInterval(() => {
  for (const panel of [...tiles, ...panels]) panel.showAge();
}, 1000);

/** Requests figures only while the page is visible. */
function ask() {
  const seen = !document.hidden && view.room === null && view.user === null;
  for (const feed of feeds) {
    if (seen) feed.start();
    else feed.stop();
  }
}

function show() {
  const before = view;
  view = readView(location.hash);
  const detail = view.room !== null || view.user !== null;
  byId('overview').hidden = detail;
  document.title = detail ? `${view.room === null ? `User ${view.user}` : `#${view.room}`} · Confab` : 'Dashboard · Confab';
  showRange();
  if (view.span !== before.span || view.from !== before.from || view.to !== before.to) {
    for (const feed of Object.values(ranged)) feed.renew();
  }
  if (view.letters !== before.letters) letters.renew();
  for (const panel of [...tiles, ...panels]) panel.update();
  ask();
  history.show(view);
  letterDialog.show(view.letter);
}

/* The chosen time. */
const spans = byId('spans');
const custom = byId('custom');
for (const span of Object.keys(SPANS)) {
  const button = h('button', { type: 'button', 'aria-pressed': 'false', 'data-span': span }, span);
  button.addEventListener('click', () => go({ span, from: null, to: null, before: null, after: null }));
  spans.append(button);
}

byId('custom-toggle').addEventListener('click', () => {
  custom.hidden = !custom.hidden;
  byId('custom-toggle').setAttribute('aria-expanded', String(!custom.hidden));
  if (!custom.hidden) byId('from').focus();
});

custom.addEventListener('submit', (event) => {
  event.preventDefault();
  const from = new Date(byId('from').value).getTime();
  const to = new Date(byId('to').value).getTime();
  const changed = readView(writeView({ ...view, span: null, from: from || 0, to: to || 0 }));
  byId('custom-problem').hidden = changed.span === null;
  if (changed.span === null) go({ span: null, from, to });
});

function showRange() {
  for (const button of spans.children) button.setAttribute('aria-pressed', String(button.dataset.span === view.span));
  const { from, to } = range();
  byId('custom-toggle').setAttribute('aria-pressed', String(view.span === null));
  byId('custom-toggle').setAttribute('aria-expanded', String(!custom.hidden));
  byId('from').value = localField(from);
  byId('to').value = localField(to);
  byId('custom-problem').hidden = true;
}

/* The token. */
const tokenDialog = byId('token-dialog');
let denied = false;

rest.onTokenNeeded = (shown) => {
  rest.token = null;
  showTokenButtons();
  if (tokenDialog.open || denied) return;
  byId('token-problem').hidden = !shown;
  tokenDialog.showModal();
};

function showTokenButtons() {
  byId('forget').hidden = rest.token === null;
  byId('give').hidden = !denied;
}

byId('give').addEventListener('click', () => {
  byId('token-problem').hidden = true;
  tokenDialog.showModal();
});
showTokenButtons();

byId('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  rest.token = byId('token').value.trim();
  byId('token').value = '';
  denied = false;
  tokenDialog.close();
  showTokenButtons();
  askAgain();
});

/** Does not ask again if the user closes it without a token. */
tokenDialog.addEventListener('cancel', () => {
  denied = true;
  showTokenButtons();
});

byId('forget').addEventListener('click', () => {
  rest.token = null;
  denied = false;
  askAgain();
});

function askAgain() {
  for (const feed of feeds) feed.renew();
  history.show(view);
  letterDialog.again();
}

byId('share').addEventListener('click', async () => {
  // A range until now would change for later viewers of the link, so it is written out.
  const { from, to } = range();
  const link = new URL(writeView({ ...view, span: null, from, to }), location.href).href;
  try {
    await navigator.clipboard.writeText(link);
    byId('shared').textContent = 'Copied: this time, for everybody who opens it.';
  } catch {
    byId('shared').textContent = link;
  }
  setTimeout(() => {
    byId('shared').textContent = '';
  }, 6000);
});

window.addEventListener('hashchange', show);
document.addEventListener('visibilitychange', ask);
show();

import { resolve } from 'node:path';
import { ARCHIVE_ROWS, archivedTime, archiveSkipped, deadLetter, fillArchive } from '../support/archive.js';
import { barriers, FORMS } from '../support/axe.js';
import { ask, expect, test } from '../support/dashboard.js';
import { baseURL } from '../support/platform.js';

const NOWHERE = 'from=2001-01-01T00:00:00.000Z&to=2001-01-02T00:00:00.000Z';
const number = new Intl.NumberFormat('en');

test.describe('what was', () => {
  const skipped = archiveSkipped();
  test.skip(skipped !== null, skipped ?? '');

  test.beforeAll(async () => {
    test.setTimeout(600_000);
    await fillArchive();
  });

  test('figures are those of REST, for the time in the address', async ({ board }) => {
    test.setTimeout(240_000);
    const { from, to } = archivedTime();
    const times = `from=${from}&to=${to}`;
    // Hours come from a view, which is refreshed now and then.
    const hours = async () => (await ask(`api/analytics/hourly?${times}`)).buckets;
    await expect.poll(async () => (await hours()).length, { timeout: 120_000 }).toBeGreaterThan(0);
    const dash = await board();
    const begin = Date.now();
    await dash.open(times);
    await dash.isDrawn();
    console.log(`      dashboard of ${number.format(ARCHIVE_ROWS)} messages drawn in ${Date.now() - begin} ms`);

    const active = await ask(`api/analytics/active-users?${times}`);
    expect(active.messages).toBeGreaterThan(0);
    await expect(dash.panel('active-users').locator('.age')).toHaveText(/now|ago/);
    await expect(dash.value('messages-total')).toHaveText(short(active.messages));
    await expect(dash.value('active-users')).toHaveText(short(active.activeUsers));

    const { rooms } = await ask(`api/analytics/top-rooms?${times}&limit=10`);
    await expect(dash.panel('top-rooms').locator('.bar-name')).toHaveText(rooms.map(({ roomId }) => `#${roomId}`));
    await expect(dash.panel('top-rooms').locator('.bar-value')).toHaveText(rooms.map(({ messages }) => number.format(messages)));
    const { users } = await ask(`api/analytics/top-users?${times}&limit=10`);
    await expect(dash.panel('top-users').locator('.bar-name')).toHaveText(users.map(({ userId }) => userId));

    const { hoursOfWeek, usersByMessages } = await ask(`api/analytics/participation?${times}`);
    await expect(dash.panel('week').locator('tbody td .unseen')).toHaveText(hoursOfWeek.flat().map((count) => number.format(count)));
    await expect(dash.panel('by-messages').locator('li')).toHaveCount(usersByMessages.length);

    await dash.panel('activity').getByText('As a table').click();
    const last = (await hours()).at(-1);
    await expect(dash.panel('activity').locator('tbody tr').filter({ hasText: number.format(last.messages) }).first()).toBeVisible();
  });

  test('a room is opened from the list, and its address shows the same to somebody else', async ({ board }) => {
    const { from, to } = archivedTime();
    const dash = await board();
    await dash.open(`from=${from}&to=${to}`);
    await dash.panel('top-rooms').getByRole('link').first().click();
    await expect(dash.page.getByRole('heading', { name: /^Room #/ })).toBeFocused();
    await expect(dash.rows).toHaveCount(50);
    const latest = await dash.rows.allInnerTexts();
    await dash.page.getByRole('link', { name: 'Older' }).click();
    await expect(dash.page).toHaveURL(/before=/);
    await expect.poll(() => dash.rows.allInnerTexts()).not.toEqual(latest);
    const older = await dash.rows.allInnerTexts();

    const other = await board();
    await other.page.goto(dash.page.url());
    await expect(other.rows).toHaveCount(50);
    expect(await other.rows.allInnerTexts()).toEqual(older);
    await other.page.getByRole('link', { name: 'Newer' }).click();
    await expect.poll(() => other.rows.allInnerTexts()).toEqual(latest);

    await dash.page.goBack();
    await expect.poll(() => dash.rows.allInnerTexts()).toEqual(latest);
    await dash.page.getByRole('link', { name: 'Overview' }).click();
    await expect(dash.page).toHaveURL(new RegExp(`from=${from}`));
    await expect(dash.value('messages-total')).toBeVisible();
  });

  test('from a room a user is opened: rooms and messages, each a link on', async ({ board }) => {
    const dash = await board();
    await dash.open('room=lobby');
    await dash.rows.first().getByRole('link').click();
    await expect(dash.page.getByRole('heading', { name: /^User / })).toBeFocused();
    const user = new URLSearchParams(new URL(dash.page.url()).hash.slice(1)).get('user');
    const { rooms } = await ask(`api/users/${user}/rooms?limit=100`);
    await expect(dash.page.getByRole('region', { name: 'Rooms' }).locator('tbody th')).toHaveText(rooms.map(({ roomId }) => `#${roomId}`));
    await expect(dash.page.getByRole('region', { name: 'Messages' }).locator('tbody tr')).not.toHaveCount(0);
  });

  test('whoever is on a link stays there while figures are renewed', async ({ board }) => {
    const { from, to } = archivedTime();
    const dash = await board();
    await dash.open(`from=${from}&to=${to}`);
    const link = dash.panel('top-rooms').getByRole('link').nth(1);
    await link.focus();
    for (let renewed = 0; renewed < 2; renewed++) {
      await dash.page.waitForResponse(/top-rooms/);
    }
    await expect(link).toBeFocused();
  });

  test('a part of the chart is chosen by drawing over it', async ({ board }) => {
    const { from, to } = archivedTime();
    const dash = await board();
    await dash.open(`from=${from}&to=${to}`);
    const plot = dash.panel('activity').locator('.u-over');
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width } = await plot.boundingBox();
    await dash.page.mouse.move(x + width * 0.25, y + 50);
    await dash.page.mouse.down();
    await dash.page.mouse.move(x + width * 0.5, y + 60, { steps: 5 });
    await dash.page.mouse.up();
    await expect(dash.page).not.toHaveURL(new RegExp(`from=${from}`));
    const chosen = new URLSearchParams(new URL(dash.page.url()).hash.slice(1));
    const quarter = (Date.parse(to) - Date.parse(from)) / 4;
    expect(Date.parse(chosen.get('to')) - Date.parse(chosen.get('from'))).toBeGreaterThan(quarter * 0.9);
    expect(Date.parse(chosen.get('to')) - Date.parse(chosen.get('from'))).toBeLessThan(quarter * 1.1);
  });

  test('a chart that gets fewer times while the pointer is over its end shows what is below the pointer then', async ({ board }) => {
    const dash = await board();
    await dash.open();
    const chart = await dash.page.evaluateHandle(async () => {
      const { Chart } = await import('/dashboard/chart.js');
      const made = new Chart({ series: ['messages'], unit: 'Messages', format: String });
      document.body.prepend(made.element);
      made.draw([[60, 120, 180, 240, 300], [1, 2, 3, 4, 5]]);
      return made;
    });
    const { x, y, width } = await dash.page.locator('body > .chart .u-over').boundingBox();
    const value = dash.page.locator('body > .chart .legend b');
    await dash.page.mouse.move(x + width * 0.74, y + 50);
    await expect(value).toHaveText('4');
    await chart.evaluate((drawn) => drawn.draw([[60, 120, 180], [6, 7, 8]]));
    await expect(value).toHaveText('7');
  });

  test('a dead letter is inspected, and replayed only after it was asked', async ({ board, request }) => {
    const room = `letters-${Date.now().toString(36)}`;
    const id = deadLetter(room, 'Better late <b>than</b> never');
    const dash = await board();
    await dash.open();
    await dash.panel('letters').getByRole('link', { name: `No. ${id}` }).click();
    const dialog = dash.page.getByRole('dialog', { name: `Dead letter ${id}` });
    await expect(dialog.locator('pre')).toContainText('Better late <b>than</b> never');
    await expect(dialog).toContainText('messages_content_check');
    await expect(dash.page).toHaveURL(new RegExp(`letter=${id}`));

    await dialog.getByRole('button', { name: 'Replay …' }).click();
    await expect(dialog.getByRole('alert')).toHaveText('Try again to store it?');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await (await request.get(`${baseURL}/api/dead-letters/${id}`)).json()).deadLetter.state).toBe('OPEN');

    await dialog.getByRole('button', { name: 'Replay …' }).click();
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await expect(dialog).toContainText('Replayed: 1 new row.');
    await expect(dialog.getByRole('button', { name: 'Replay …' })).toHaveCount(0);
    await dash.page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(dash.page).not.toHaveURL(/letter=/);
    await expect(dash.panel('letters').getByRole('link', { name: `No. ${id}` })).toHaveCount(0);
    await dash.open(`room=${room}`);
    await expect(dash.rows).toHaveCount(1);
    await expect(dash.rows).toContainText('Better late <b>than</b> never');
  });

  test('a dead letter is discarded, and stays among the discarded', async ({ board }) => {
    const id = deadLetter('lobby', 'Never mind');
    const dash = await board();
    await dash.open(`letter=${id}`);
    const dialog = dash.page.getByRole('dialog', { name: `Dead letter ${id}` });
    await dialog.getByRole('button', { name: 'Discard …' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Discard it?');
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect(dialog).toContainText('Discarded.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dash.panel('letters').getByRole('combobox').selectOption('discarded');
    await expect(dash.page).toHaveURL(/letters=discarded/);
    await expect(dash.panel('letters').getByRole('link', { name: `No. ${id}` })).toBeVisible();
  });

  for (const [form, options] of Object.entries(FORMS)) {
    test(`nothing serious for axe on ${form}`, async ({ board }) => {
      const { from, to } = archivedTime();
      const id = deadLetter('lobby', 'Look at me');
      const dash = await board(options);
      await dash.open(`from=${from}&to=${to}`);
      await dash.isDrawn();
      await dash.panel('activity').getByText('As a table').click();
      await dash.page.getByRole('button', { name: 'From … to' }).click();
      expect(await barriers(dash.page)).toEqual([]);
      const width = await dash.page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, 'nothing is wider than the page').toBeLessThanOrEqual(options.viewport.width);
      await dash.open('room=lobby');
      await expect(dash.rows).toHaveCount(50);
      expect(await barriers(dash.page)).toEqual([]);
      await dash.open(`letter=${id}`);
      await expect(dash.page.getByRole('dialog').locator('pre')).toBeVisible();
      expect(await barriers(dash.page)).toEqual([]);
    });
  }

  test('pictures for the README', { tag: '@screenshots' }, async ({ board, browser }) => {
    const folder = process.env.CONFAB_SCREENSHOTS;
    test.skip(!folder, 'CONFAB_SCREENSHOTS names no folder');
    deadLetter('support', 'Too long for its own good');
    const talk = await talking(browser, 4);
    try {
      const boards = new Map();
      for (const colorScheme of ['light', 'dark']) {
        const dash = await board({ colorScheme, viewport: { width: 1280, height: 1000 }, deviceScaleFactor: 2 });
        await dash.open('range=7d');
        boards.set(colorScheme, dash);
      }
      for (const [colorScheme, dash] of boards) {
        await dash.isDrawn();
        // Some samples, so that there are lines.
        const numbers = dash.panel('traffic').getByText('As a table');
        await numbers.click();
        await expect(dash.panel('traffic').locator('tbody tr').nth(9)).toBeVisible({ timeout: 60_000 });
        await numbers.click();
        await dash.page.evaluate(() => window.scrollTo(0, 0));
        await dash.page.screenshot({ path: resolve(folder, `dashboard-${colorScheme}.png`), animations: 'disabled' });
        await dash.page.screenshot({ path: resolve(folder, `dashboard-${colorScheme}-whole.png`), animations: 'disabled', fullPage: true });
      }
      const phone = await board({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
      await phone.open('range=7d');
      await phone.isDrawn();
      await phone.page.screenshot({ path: resolve(folder, 'dashboard-phone.png'), animations: 'disabled' });
    } finally {
      await talk.stop();
    }
  });
});

test('what happens now is seen as it happens', async ({ board, browser }) => {
  const dash = await board();
  await dash.open();
  await dash.isDrawn();
  const talk = await talking(browser, 2);
  try {
    await expect(dash.panel('servers').locator('tbody th')).toHaveCount(1);
    await expect(dash.panel('servers').locator('tbody tr')).toContainText('up');
    await expect.poll(async () => Number(await dash.value('connections').textContent())).toBeGreaterThanOrEqual(2);
    await expect.poll(async () => Number(await dash.value('deliveries').textContent())).toBeGreaterThan(0);
    await expect.poll(async () => Number(await dash.value('now').textContent())).toBeGreaterThan(0);
    await expect(dash.value('latency')).toHaveText(/ms|s/);
    await expect(dash.panel('traffic').locator('canvas')).toBeVisible();
    await expect(dash.panel('latencies').getByRole('img')).toHaveAttribute('aria-label', /highest .* last/);
    await expect(dash.panel('live').locator('canvas')).toBeVisible();
    await expect(dash.panel('partitions').locator('tbody tr')).toHaveCount(4);
    await expect(dash.panel('partitions')).toContainText('reading');
    await expect(dash.panel('batches')).toContainText('Messages in a batch');
    await expect(dash.panel('servers').locator('.age')).toHaveText(/now|[0-9]+ s ago/);
  } finally {
    await talk.stop();
  }
});

test('where there is nothing it says so', async ({ board }) => {
  const dash = await board();
  await dash.open(NOWHERE);
  for (const id of ['activity', 'top-rooms', 'top-users', 'week', 'by-messages']) {
    await expect(dash.panel(id)).toContainText('No messages in this time.');
  }
  await expect(dash.value('messages-total')).toHaveText('0');
  await dash.open('room=nobody-was-ever-here');
  await expect(dash.page.locator('#detail')).toContainText('There are no messages.');
});

test('an error is shown where the figure would be, and everything else goes on', async ({ board }) => {
  const dash = await board();
  let broken = true;
  await dash.page.route('**/api/servers', (route) =>
    broken
      ? route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"detail":"the database cannot answer now"}' })
      : route.continue());
  await dash.open(NOWHERE);
  await expect(dash.panel('servers').locator('.problem')).toHaveText('No answer: the database cannot answer now.');
  await expect(dash.panel('connections').locator('.problem')).toBeVisible();
  await expect(dash.value('messages-total')).toHaveText('0');
  broken = false;
  await expect(dash.panel('servers').locator('.problem')).toBeHidden();
  await expect(dash.panel('servers').locator('tbody tr')).toHaveCount(1);
});

test('one figure is never asked for twice at a time, and none while nobody looks', async ({ board }) => {
  const dash = await board();
  await dash.page.clock.install();
  const under = new Map();
  const twice = [];
  let asked = 0;
  await dash.page.route('**/api/**', async (route) => {
    // The chart of seconds is requested for five minutes at a time, for any chosen range.
    const { pathname } = new URL(route.request().url());
    under.set(pathname, (under.get(pathname) ?? 0) + 1);
    if (under.get(pathname) > 1) twice.push(pathname);
    asked++;
    const response = await route.fetch();
    under.set(pathname, under.get(pathname) - 1);
    await route.fulfill({ response });
  });
  await dash.open('range=7d');
  await dash.isDrawn();
  await expect.poll(() => asked).toBeGreaterThan(25);
  expect(twice).toEqual([]);

  await dash.page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  // Follows earlier requests.
  await dash.page.evaluate(() => fetch('/api/servers'));
  const before = asked;
  await dash.page.clock.runFor(60_000);
  expect(asked).toBe(before);
  await dash.page.evaluate(() => {
    delete document.hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect.poll(() => asked).toBeGreaterThan(before + 5);
});

test('where a token is asked for the page asks, shows it with every question, and keeps it out of the address', async ({ board }) => {
  const dash = await board();
  const shown = new Set();
  await dash.page.route('**/api/**', async (route) => {
    const token = await route.request().headerValue('authorization');
    if (token === 'Bearer good') return route.continue();
    if (token !== null) shown.add(token);
    return route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{"detail":"a token is needed"}' });
  });
  await dash.open(NOWHERE);
  const dialog = dash.page.getByRole('dialog', { name: 'Who are you?' });
  await dialog.getByLabel('Token').fill('bad');
  await dialog.getByRole('button').click();
  await expect(dialog.getByRole('alert')).toHaveText('The token that you gave does not count here.');
  expect([...shown]).toEqual(['Bearer bad']);
  await dialog.getByLabel('Token').fill('good');
  await dialog.getByRole('button').click();
  await expect(dialog).toBeHidden();
  await expect(dash.value('messages-total')).toHaveText('0');
  expect(dash.page.url()).not.toContain('good');

  await dash.page.reload();
  await expect(dash.value('messages-total')).toHaveText('0');
  await dash.page.getByRole('button', { name: 'Forget token' }).click();
  await expect(dialog).toBeVisible();
});

/** So many people in one room, who say something every half second, until they are stopped. */
async function talking(browser, people) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(baseURL);
  await page.evaluate(
    ({ room, people }) => {
      for (let i = 0; i < people; i++) {
        const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/chat/${room}`);
        const say = (messageType, more) =>
          socket.send(JSON.stringify({ messageType, userId: String(70_000 + i), username: `talker${i}`, timestamp: new Date().toISOString(), ...more }));
        socket.onopen = () => {
          say('JOIN');
          setInterval(() => say('TEXT', { message: 'And another one' }), 500);
        };
      }
    },
    { room: `talk-${Date.now().toString(36)}`, people },
  );
  return { stop: () => context.close() };
}

function short(value) {
  if (value < 10_000) return number.format(value);
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

import { expect, test } from '../support/guest.js';
import { namedBy } from '../support/token.js';

/** Says many things in a room, fast, and waits until they are stored. */
async function fill(page, room, count) {
  await page.evaluate(
    async ({ room, count }) => {
      const { ConfabClient } = await import('/confab.js');
      const client = new ConfabClient(location.origin, { userId: '99', username: 'writer', storage: null, window: 50 });
      const chat = client.join(room, { stored: true });
      await Promise.all(Array.from({ length: count }, (none, i) => chat.send(`line ${i}`, { until: i === count - 1 ? 'stored' : 'accepted' })));
      client.close();
    },
    { room, count },
  );
}

const place = (row) => row.evaluate((element) => element.getBoundingClientRect().top);

/** Turns the wheel until a text is in sight. */
async function readBackTo(guest, text) {
  await expect(async () => {
    await guest.page.mouse.wheel(0, -1500);
    await expect(guest.row(text)).toBeInViewport({ timeout: 300 });
  }).toPass({ timeout: 30_000 });
}

test('scrolling up brings the past, page by page, and what one reads stays where it is', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.page.goto('/');
  await fill(alice.page, room, 330);
  await alice.enter(room);
  await expect(alice.words.last()).toHaveText('line 329');
  await expect(alice.words.last()).toBeInViewport();

  const box = await alice.log.boundingBox();
  await alice.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const middle = alice.row('line 284');
  await middle.scrollIntoViewIfNeeded();
  // Rows added above do not move it.
  const before = await place(middle);
  await expect(alice.row('line 270')).toHaveCount(1);
  expect(Math.abs((await place(middle)) - before)).toBeLessThan(2);

  await readBackTo(alice, 'line 0');
  await expect(alice.page.getByText('This is where the room begins')).toBeInViewport();
  expect(await alice.words.count()).toBeLessThanOrEqual(240);

  const shown = await alice.words.allTextContents();
  expect(shown).toEqual(Array.from({ length: shown.length }, (none, i) => `line ${i}`));
  await alice.page.getByRole('button', { name: 'Latest' }).click();
  await expect(alice.row('line 329')).toBeInViewport();
});

test('after a reload the past goes as far back as before, and is no news', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.page.goto('/');
  await fill(alice.page, room, 120);
  await alice.enter(room);
  await expect(alice.words.last()).toHaveText('line 119');
  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.words.last()).toBeInViewport();
  await expect(alice.log.locator('.new')).toHaveCount(0);
  await expect(alice.page.locator('#announcer')).toHaveText('');
  const box = await alice.log.boundingBox();
  await alice.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await readBackTo(alice, 'line 0');
});

test('where the past cannot be fetched it says so, and tries again when asked', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.page.goto('/');
  await fill(alice.page, room, 60);
  let answer = { status: 200, json: { messages: [], next: null, storedThrough: null, gaps: [] } };
  await alice.page.route('**/api/rooms/**', (route) => (answer ? route.fulfill(answer) : route.continue()));
  await alice.enter(room);
  await expect(alice.words.last()).toBeInViewport();
  await alice.log.focus();
  await alice.page.keyboard.press('Home');
  await expect(alice.page.getByText('Older messages cannot be fetched now')).toBeVisible();
  answer = null;
  await alice.page.getByRole('button', { name: 'Try again' }).click();
  await expect(alice.row('line 0')).toHaveCount(1);
  await expect(alice.page.getByText('This is where the room begins')).toHaveCount(1);
});

test('the past is asked for with the token, where there is one', async ({ guest, room }) => {
  const alice = await guest('alice');
  const { page } = alice;
  await page.route('**/health', (route) => route.fulfill({ json: { status: 'UP', identity: 'token', capacity: { healthy: true } } }));
  await page.addInitScript(() => {
    // The platform of these tests is open, and takes no token.
    const Real = WebSocket;
    globalThis.WebSocket = class extends Real {
      constructor(url) {
        super(url, 'confab.v1');
      }
    };
  });
  const shown = [];
  await page.route('**/api/rooms/**', (route) => {
    shown.push(route.request().headers().authorization);
    return route.fulfill({ json: { messages: [], next: null, storedThrough: '9223372036854775807', gaps: [] } });
  });
  await page.goto('/');
  await fill(page, room, 60);
  await page.routeWebSocket(/\/chat\//, namedBy({ userId: '77', username: 'alice' }));
  await page.goto(`/#room=${room}`);
  await page.getByLabel('Token').fill('a.token');
  await page.getByRole('button', { name: 'Join the room' }).click();
  await expect(alice.words.last()).toBeInViewport();
  await alice.log.focus();
  await page.keyboard.press('Home');
  await expect.poll(() => shown).toContain('Bearer a.token');
});

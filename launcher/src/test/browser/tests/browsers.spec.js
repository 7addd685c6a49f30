import { test as base } from '@playwright/test';
import { expect, test } from '../support/guest.js';

/** Some features that Chromium has and the oldest supported browsers lack. client-js/test/browsers.test.js checks for all of them. */
const removeWhatIsNew = () => {
  delete URL.canParse;
  delete URL.parse;
  delete AbortSignal.any;
  delete AbortSignal.timeout;
  delete Promise.withResolvers;
  delete globalThis.structuredClone;
  for (const name of ['toReversed', 'toSorted', 'toSpliced', 'with', 'findLast', 'findLastIndex']) delete Array.prototype[name];
  for (const name of ['isWellFormed', 'toWellFormed']) delete String.prototype[name];
  for (const name of Object.getOwnPropertyNames(Iterator.prototype).filter((name) => name !== 'constructor')) delete Iterator.prototype[name];
  for (const name of ['union', 'difference', 'intersection']) delete Set.prototype[name];
};

test('in a browser without what is new everything is there, also after a reload', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.page.addInitScript(removeWhatIsNew);
  await alice.enter(room);
  await bob.enter(room);
  await bob.say('See https://example.org/ and www.example.com');
  await bob.say('And this');
  await expect(alice.words).toHaveText(['See https://example.org/ and www.example.com', 'And this']);
  await alice.say('I see');
  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.words).toHaveText(['See https://example.org/ and www.example.com', 'And this', 'I see']);
  await expect(alice.words.getByRole('link')).toHaveCount(2);
  await expect(alice.people).toHaveText(['alice', 'bob']);
});

// Without the fixture that lets no fault pass: these tests make some.
base('a row that cannot be drawn costs only itself: messages, people and rooms', async ({ page }) => {
  const room = `test-${Date.now().toString(36)}-broken`;
  const faults = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(`/#room=${room}`);
  await page.getByLabel('Your name').fill('alice');
  await page.getByRole('button', { name: 'Join the room' }).click();
  await expect(page.locator('#state')).toHaveAttribute('data-state', 'joined');
  const write = async (text) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  };
  await page.evaluate(() => {
    const { append } = DocumentFragment.prototype;
    DocumentFragment.prototype.append = function (...nodes) {
      if (nodes.includes('Break me')) throw new Error('a row that throws');
      return append.apply(this, nodes);
    };
  });
  for (const text of ['Before', 'Break me', 'After']) await write(text);
  await expect(page.locator('#rows .words')).toHaveText(['Before', 'After']);
  await expect(page.locator('#rows .quiet').last()).toHaveText('This message cannot be shown');
  const order = await page.locator('#rows .row:not(.day)').allTextContents();
  expect(order.findIndex((text) => text.includes('cannot be shown'))).toBeLessThan(order.findIndex((text) => text.includes('After')));

  await page.evaluate(() => {
    const style = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'style');
    Object.defineProperty(HTMLElement.prototype, 'style', {
      ...style,
      get() {
        if (this.closest('.person')) throw new Error('a person that throws');
        return style.get.call(this);
      },
    });
    const real = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
    Object.defineProperty(Node.prototype, 'textContent', {
      ...real,
      set(text) {
        if (this.className === 'room-name' && text.endsWith('-thrown')) throw new Error('a room that throws');
        return real.set.call(this, text);
      },
    });
  });
  for (const name of [`${room}-thrown`, `${room}-next`]) {
    await page.getByLabel('Enter another room').fill(name);
    await page.getByLabel('Enter another room').press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`#${name}`);
  }
  for (const name of [room, `${room}-thrown`, `${room}-next`]) await expect(page.locator('#room-list li').filter({ hasText: name }).last()).toBeVisible();
  await expect(page.locator('#people-list li')).toHaveText(['alice']);
  await expect.poll(() => [...new Set(faults)].sort()).toEqual(['a person that throws', 'a room that throws', 'a row that throws']);
});

base('a row or a figure of the dashboard that cannot be drawn costs only itself', async ({ page }) => {
  const faults = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  const message = (messageId, timestamp) => ({ messageType: 'TEXT', messageId, userId: '7', username: 'bob', message: `text ${messageId}`, timestamp, position: '5' });
  const messages = [message('a', 1780000000000), message('b', 'yesterday'), message('c', 1780000001000)];
  await page.route('**/api/rooms/*/messages*', (route) => route.fulfill({ json: { messages, next: null, storedThrough: '9', gaps: [] } }));
  await page.route('**/api/analytics/top-rooms*', (route) => route.fulfill({ json: { rooms: null, asOf: Date.now(), ageMillis: 1 } }));

  await page.goto('/dashboard');
  await expect(page.locator('#top-rooms')).toContainText('This figure cannot be drawn.');
  await expect(page.locator('#messages-total .value')).toHaveText(/\d/);
  expect(faults.length).toBeGreaterThan(0);

  await page.goto('/dashboard#room=lobby');
  await expect(page.locator('#detail tbody tr')).toHaveText([/text a/, 'This cannot be shown', /text c/]);
});

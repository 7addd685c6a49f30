import { expect, test } from '../support/guest.js';

/**
 * confab.js by itself in a browser: of the chat page there is only the start screen. What `open` makes in the page is
 * `client`, `chat` (the room) and `heard`.
 */
async function open(person, room, address = '') {
  await person.page.goto(`${address}/`);
  await join(person, room);
}

async function join({ page, name }, room) {
  await page.evaluate(
    async ({ name, room }) => {
      const { ConfabClient } = await import('/confab.js');
      const client = new ConfabClient(location.origin, { userId: String(name.length * 1000 + name.charCodeAt(0)), username: name });
      const chat = client.join(room);
      Object.assign(globalThis, { client, chat, heard: [], states: [] });
      chat.on('message', ({ text }) => heard.push(text));
      client.on('state', (event) => states.push(event));
    },
    { name, room },
  );
}

const joined = ({ page }) => expect.poll(() => page.evaluate(() => chat.joined)).toBe(true);
const heard = ({ page }) => page.evaluate(() => heard);
const said = ({ page }, text) => page.evaluate((text) => chat.send(text), text);

test('a thousand messages that wait survive a reload, and arrive once, in order', async ({ guest, room, wire }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await open(alice, room, wire.address);
  await open(bob, room);
  await joined(alice);
  await joined(bob);
  const texts = Array.from({ length: 1000 }, (none, i) => `text ${i}`);
  wire.silence();
  await alice.page.evaluate((texts) => texts.forEach((text) => void chat.send(text)), texts);
  await expect(said(alice, 'one too many')).rejects.toThrow('too many messages are waiting');

  wire.mend();
  await alice.page.reload();
  await join(alice, room);
  expect(await alice.page.evaluate(() => chat.pending.length)).toBe(1000);
  // One after the other, each there and back.
  await expect.poll(async () => (await heard(bob)).length, { timeout: 120_000 }).toBe(1000);
  expect(await heard(bob)).toEqual(texts);
  await expect.poll(() => alice.page.evaluate(() => chat.pending.length + localStorage.length)).toBe(0);
});

test('a lost network is noticed at once, and so is its return', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await open(alice, room);
  await open(bob, room);
  await joined(alice);
  await joined(bob);

  await alice.page.context().setOffline(true);
  await expect.poll(() => alice.page.evaluate(() => client.state)).toBe('connecting');
  const sent = said(alice, 'from the tunnel');
  await said(bob, 'hello?');
  await alice.page.context().setOffline(false);
  expect((await sent).position).toMatch(/^\d+$/);
  await expect.poll(() => heard(alice)).toEqual(['hello?', 'from the tunnel']);
  await expect.poll(() => heard(bob)).toEqual(['hello?', 'from the tunnel']);
});

test('a page that is put away and fetched back goes on where it was', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await open(alice, room);
  await open(bob, room);
  await joined(alice);
  await joined(bob);

  await alice.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
  expect(await alice.page.evaluate(() => client.state)).toBe('connecting');
  await said(bob, 'while you were out');
  await alice.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await joined(alice);
  await expect.poll(() => heard(alice)).toEqual(['while you were out']);
});

test('a clock that is put forward and back changes nothing', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await open(alice, room);
  await open(bob, room);
  await joined(alice);
  await joined(bob);
  for (const hours of [1, -24, 24 * 365, 0]) {
    await alice.page.evaluate((skew) => {
      globalThis.realNow ??= Date.now;
      Date.now = () => realNow.call(Date) + skew;
    }, hours * 3_600_000);
    await said(alice, `${hours} hours off`);
  }
  await expect.poll(() => heard(bob)).toEqual(['1 hours off', '-24 hours off', '8760 hours off', '0 hours off']);
  expect(await alice.page.evaluate(() => states.filter(({ state }) => state === 'connected').length)).toBe(1);
});

test('where the browser forbids to keep anything it talks all the same', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.page.addInitScript(() => {
    Object.defineProperty(globalThis, 'localStorage', {
      get() {
        throw new DOMException('forbidden', 'SecurityError');
      },
    });
  });
  await open(alice, room);
  await said(alice, 'hi');
  expect(await heard(alice)).toEqual(['hi']);
});

test('close codes are obeyed by a real socket, too', async ({ guest, room }) => {
  const alice = await guest('alice');
  const sockets = [];
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    page.connectToServer();
    sockets.push(page);
  });
  await open(alice, room);
  await joined(alice);
  await sockets[0].close({ code: 4200, reason: 'restarting' });
  await expect.poll(() => sockets.length).toBe(2);
  await joined(alice);
  await sockets[1].close({ code: 4000, reason: 'go away' });
  await expect.poll(() => alice.page.evaluate(() => client.state)).toBe('disconnected');
  expect(await alice.page.evaluate(() => states.at(-1))).toMatchObject({ code: 4000, reason: 'go away' });
  await alice.page.evaluate(() => client.connect());
  await joined(alice);
  expect(sockets).toHaveLength(3);
});

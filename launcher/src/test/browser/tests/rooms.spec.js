import { expect, test } from '../support/guest.js';

const link = ({ page }, room) => page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: room, exact: false });
const unread = ({ page }, room) => page.locator('#room-list .room').filter({ hasText: room }).locator('.count');

/** Enters another room by the list. */
async function enterAlso({ page, state }, room) {
  await page.getByLabel('Enter another room').fill(room);
  await page.getByLabel('Enter another room').press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`#${room}`);
  await expect(state).toHaveAttribute('data-state', 'joined');
}

test('several rooms at once: what is said elsewhere is counted, marked where it begins, and read by looking', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  const other = `${room}-2`;
  await alice.enter(room);
  await alice.say('Here first');
  await enterAlso(alice, other);
  await alice.say('And here');
  await bob.enter(room);
  await bob.say('Anybody?');
  await bob.say('Hello?');

  await expect(unread(alice, room).first()).toHaveText('2');
  await expect(alice.page).toHaveTitle(`(2) #${other} \u00b7 Confab`);
  await expect(alice.words).toHaveText(['And here']);
  await link(alice, room).first().click();
  await expect(alice.words).toHaveText(['Here first', 'Anybody?', 'Hello?']);
  await expect(alice.log.locator('.row.text, .row.new')).toHaveText([/Here first/, 'New messages', /Anybody/, /Hello/]);
  await expect(alice.page).toHaveTitle(`#${room} \u00b7 Confab`);
  await alice.say('Yes');
  await expect(alice.log.locator('.new')).toHaveCount(0);
});

test('rooms, what is unread in them, and what was begun survive a reload', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  const other = `${room}-2`;
  await alice.enter(room);
  await alice.message.fill('Half a thou');
  await enterAlso(alice, other);
  await expect(alice.message).toHaveValue('');
  await bob.enter(room);
  for (const text of ['One', 'Two', 'Three']) await bob.say(text);
  await expect(unread(alice, room).first()).toHaveText('3');

  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.page.getByRole('heading', { level: 1 })).toHaveText(`#${other}`);
  await expect(unread(alice, room).first()).toHaveText('3');
  await expect(alice.page.locator('#room-list .flag').first()).toHaveText('Draft');
  await link(alice, room).first().click();
  await expect(alice.message).toHaveValue('Half a thou');
  await expect(alice.words).toHaveText(['One', 'Two', 'Three']);
  await expect(unread(alice, room).first()).toHaveText('');

  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.words).toHaveText(['One', 'Two', 'Three']);
  await expect(alice.log.locator('.new')).toHaveCount(0);
});

test('what was read is not unread after a reload, and what comes after it is', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  const other = `${room}-2`;
  await alice.enter(room);
  await bob.enter(room);
  for (const text of ['One', 'Two', 'Three']) await bob.say(text);
  await expect(alice.words).toHaveCount(3);
  await enterAlso(alice, other);
  await expect(unread(alice, room).first()).toHaveText('');

  await alice.page.reload();
  await alice.isJoined();
  await bob.say('Four');
  await expect(unread(alice, room).first()).toHaveText('1');
  await expect(alice.page).toHaveTitle(`(1) #${other} \u00b7 Confab`);
  await alice.page.reload();
  await alice.isJoined();
  await expect(unread(alice, room).first()).toHaveText('1');
  await link(alice, room).first().click();
  await expect(alice.log.locator('.row.text, .row.new')).toHaveText([/One/, /Two/, /Three/, 'New messages', /Four/]);
});

test('what waits in several rooms survives a reload, each in its room and in its order', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  const other = `${room}-2`;
  let swallow = true;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => (swallow && frame.includes('"TEXT"') ? undefined : server.send(frame)));
  });
  await alice.enter(room);
  for (const text of ['One', 'Two']) await alice.write(text);
  await enterAlso(alice, other);
  for (const text of ['Three', 'Four']) await alice.write(text);
  await expect(alice.row('Four')).toHaveAttribute('data-status', 'sending');
  await bob.enter(room);

  swallow = false;
  await alice.page.reload();
  for (const text of ['Three', 'Four']) await expect(alice.row(text)).toHaveAttribute('data-status', 'accepted');
  await expect(alice.words).toHaveText(['Three', 'Four']);
  // Also for the room that is not open.
  await expect(bob.words).toHaveText(['One', 'Two']);
  await link(alice, room).first().click();
  await expect(alice.words).toHaveText(['One', 'Two']);
  for (const text of ['One', 'Two']) await expect(alice.row(text)).toHaveAttribute('data-status', 'accepted');
});

test('leaving a room leads to the next one, and the list keeps the way back', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await enterAlso(alice, `${room}-2`);
  await bob.enter(`${room}-2`);
  await alice.say('I have to go');
  await expect(bob.words).toHaveText(['I have to go']);
  await alice.page.getByRole('button', { name: 'Leave' }).click();
  await expect(alice.page.getByRole('heading', { level: 1 })).toHaveText(`#${room}`);
  await expect(bob.quiet.last()).toHaveText('alice left');
  await expect(alice.page.locator('#room-list .room')).toHaveCount(1);

  await alice.page.locator('#room-earlier-list a').filter({ hasText: `${room}-2` }).click();
  await expect(bob.quiet.last()).toHaveText('alice came back');
  await expect(alice.page.locator('#room-list .room')).toHaveCount(2);
});

test('Alt and the arrows go from room to room, Escape to where one writes', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await enterAlso(alice, `${room}-2`);
  const { keyboard } = alice.page;
  const title = alice.page.getByRole('heading', { level: 1 });
  await keyboard.press('Alt+ArrowUp');
  await expect(title).toHaveText(`#${room}`);
  await expect(alice.page).toHaveURL(new RegExp(`#room=${room}$`));
  await keyboard.press('Alt+ArrowDown');
  await expect(title).toHaveText(`#${room}-2`);
  await alice.log.focus();
  await keyboard.press('Escape');
  await expect(alice.message).toBeFocused();
});

test('a name that is no room is not entered, and the page says why', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  const name = alice.page.getByLabel('Enter another room');
  await name.fill('no room!');
  await name.press('Enter');
  await expect(alice.page.getByText('1 to 64 letters, digits, - and _', { exact: true })).toBeVisible();
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await expect(alice.page.locator('#room-list .room')).toHaveCount(1);
});

test('on a phone rooms and people are behind buttons, and what is behind them waits', async ({ guest, room }) => {
  const alice = await guest('alice', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  const { page } = alice;
  await alice.enter(room);
  const rooms = page.getByRole('navigation', { name: 'Rooms' });
  await expect(rooms).toBeHidden();
  await page.locator('#rooms-toggle').tap();
  await expect(rooms).toBeVisible();
  await expect(page.locator('.talk')).toHaveAttribute('inert', '');
  await enterAlso(alice, `${room}-2`);
  await expect(rooms).toBeHidden();
  await page.locator('#people-toggle').tap();
  await expect(alice.people).toHaveText(['alice']);
  await page.keyboard.press('Escape');
  await expect(page.locator('#people')).toBeHidden();
  await expect(page.locator('#people-toggle')).toBeFocused();
  await alice.say('With one thumb');
});

test('the theme is as the reader wants it, and stays so', async ({ guest, room }) => {
  const alice = await guest('alice', { colorScheme: 'dark' });
  await alice.enter(room);
  const background = () => alice.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  const theme = alice.page.getByRole('button', { name: /^Theme/ });
  await expect(theme).toHaveText('Theme: Automatic');
  await theme.click();
  await expect(theme).toHaveText('Theme: Light');
  const light = await background();
  expect(light).not.toBe(dark);
  await alice.page.reload();
  await alice.isJoined();
  expect(await background()).toBe(light);
  await theme.click();
  expect(await background()).toBe(dark);
});

test('a long draft is kept in its room, also where the browser keeps nothing, and then the page says so', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.message.fill('short draft');
  const long = 'long draft '.repeat(150).trim();
  await alice.page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await alice.message.fill(long);
  await expect(alice.page.locator('#composer-note')).toContainText('This draft is lost when the page is reloaded');
  await enterAlso(alice, `${room}-2`);
  await expect(alice.message).toHaveValue('');
  await link(alice, room).first().click();
  await expect(alice.message).toHaveValue(long);
});

test('a room that does not let us in is in no list', async ({ guest, room }) => {
  const alice = await guest('alice');
  const refused = `${room}-private`;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => {
      const { messageType, roomId } = JSON.parse(frame);
      if (messageType !== 'JOIN' || roomId !== refused) server.send(frame);
      else page.send(JSON.stringify({ type: 'ERROR', roomId, messageId: null, code: 'FORBIDDEN', errors: ['not you'], retryable: false, retryAfterMs: null }));
    });
  });
  await alice.enter(room);
  const { page } = alice;
  await page.getByLabel('Enter another room').fill(refused);
  await page.getByLabel('Enter another room').press('Enter');
  await expect(page.locator('#toast')).toContainText('The room did not let you in: not you');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`#${room}`);
  await expect(page.locator('#room-list .room')).toHaveCount(1);
  await expect(page.locator('#room-earlier-list .room')).toHaveCount(0);
  await page.reload();
  await alice.isJoined();
  await expect(page.locator('#room-earlier-list .room')).toHaveCount(0);
});

for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }, { width: 844, height: 300 }]) {
  test(`a toast covers neither the latest message nor where one writes, at ${viewport.width} x ${viewport.height}`, async ({ guest, room }) => {
    const alice = await guest('alice', { viewport, reducedMotion: 'reduce' });
    await alice.enter(room);
    for (const text of ['One', 'Two', 'Three']) await alice.say(text);
    await alice.page.locator('#share').click();
    const toast = alice.page.locator('#toast');
    await expect(toast).toBeVisible();
    await expect(alice.words.last()).toBeInViewport();
    const [over, ...under] = await Promise.all([toast, alice.words.last(), alice.page.locator('#composer')].map((one) => one.boundingBox()));
    for (const box of under) expect(over.y + over.height).toBeLessThanOrEqual(box.y);
  });
}

import { expect, test } from '../support/guest.js';
import { ScriptedServer } from '../support/scripted-server.js';

test('two people talk, each sees the words of both in one order', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);

  await alice.say('Good morning');
  await expect(bob.row('Good morning')).toContainText('alice');
  await bob.say('Morning, alice');
  await expect(alice.row('Morning, alice')).toContainText('bob');
  await alice.say('Coffee?');

  const talk = ['Good morning', 'Morning, alice', 'Coffee?'];
  await expect(bob.words).toHaveText(talk);
  await expect(alice.words).toHaveText(talk);
});

test('an own message is there at once, on its way, and then accepted', async ({ guest, room }) => {
  const alice = await guest('alice');
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage(async (frame) => {
      if (frame.includes('"TEXT"')) await held;
      server.send(frame);
    });
  });
  await alice.enter(room);

  await alice.write('On its way');
  await expect(alice.row('On its way')).toHaveAttribute('data-status', 'sending');
  release();
  await expect(alice.row('On its way')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.words).toHaveText(['On its way']);
});

test('an own message shows when it is stored, also after a reload', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);

  await alice.say('Keep this');
  await expect(alice.row('Keep this')).toHaveAttribute('data-stored', 'true');
  await expect(alice.row('Keep this').locator('.status use')).toHaveAttribute('href', '#icon-stored');
  await expect(alice.row('Keep this')).toHaveAttribute('data-status', 'accepted');
  await bob.say('I will');
  await expect(bob.row('I will')).toHaveAttribute('data-stored', 'true');
  await expect(bob.row('Keep this')).not.toHaveAttribute('data-stored');

  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.row('Keep this')).toHaveAttribute('data-stored', 'true');
  await expect(alice.row('I will')).not.toHaveAttribute('data-stored');
});

test('those in the room see others come and go', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await expect(alice.count).toHaveText('1');

  await bob.enter(room);
  await expect(alice.quiet.last()).toHaveText('bob joined');
  await expect(alice.people).toHaveText(['alice', 'bob']);
  await expect(alice.count).toHaveText('2');
  await expect(bob.count).toHaveText('2');

  await bob.say('Only looking for my umbrella');
  await bob.page.getByRole('button', { name: 'Leave' }).click();
  await expect(alice.quiet.last()).toHaveText('bob left');
  await expect(alice.people).toHaveText(['alice']);
  await expect(alice.count).toHaveText('1');

  await bob.page.goBack();
  await bob.say('Here it is');
  await expect(alice.count).toHaveText('2');
  await bob.page.close();
  await expect(alice.quiet.last()).toHaveText('bob left');
  await expect(alice.count).toHaveText('1');
});

test('a person with a second tab has not left when that is closed', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await bob.enter(room);
  // The same person: a tab that was duplicated has what the first one has in its storage.
  const kept = await bob.page.evaluate(() => ({ ...sessionStorage }));
  const second = await bob.page.context().newPage();
  await second.addInitScript((kept) => Object.entries(kept).forEach(([key, value]) => sessionStorage.setItem(key, value)), kept);
  await second.goto(bob.page.url());
  await expect(second.locator('#state')).toHaveAttribute('data-state', 'joined');
  await alice.enter(room);
  await expect(alice.people).toHaveText(['alice', 'bob']);
  await expect(alice.quiet.last()).toHaveText('bob joined');
  await second.close();
  // Carol's LEAVE comes after it: once that shows, the first one would have.
  const carol = await guest('carol');
  await carol.enter(room);
  await carol.page.close();
  await expect(alice.quiet.last()).toHaveText('bob joined \u00b7 carol looked in');
  await expect(alice.people).toHaveText(['alice', 'bob']);
  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.quiet.first()).toContainText('bob joined');
  await alice.say('And now');
  await bob.page.close();
  await expect(alice.quiet.last()).toHaveText('bob left');
  await expect(alice.people).toHaveText(['alice']);
});

test('the marks of an own message say what they mean, and none that it was read', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.say('Keep this');
  const row = alice.row('Keep this');
  await expect(row).toHaveAttribute('data-stored', 'true');
  await expect(row.locator('.mark')).toHaveAttribute('title', 'Sent, and saved in the history');
  await expect(row.locator('.status-text')).toHaveText('Sent, and saved in the history');
  // One check at most in any of them: two say "read" to people.
  const checks = await alice.page.locator('symbol path').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')).filter((d) => (d.match(/l5 5 10-11/g) ?? []).length > 0));
  expect(checks).toEqual(['M4.5 12.5l5 5 10-11']);
});

test('the history is there after a reload, and for newcomers', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  const talk = ['First', 'Second\nin two lines', 'Third'];
  for (const text of talk) await alice.say(text);

  // Name and room are remembered: nothing is asked.
  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.words).toHaveText(talk);
  await expect(alice.row('First')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.log.locator('.day')).toHaveText(['Today']);

  await bob.enter(room);
  await expect(bob.words).toHaveText(talk);
  await expect(bob.row('First')).toContainText('alice');
});

test('a link opens its room for whoever has a name already, and leaving leads back to the start', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.page.getByRole('button', { name: 'Leave' }).click();
  await expect(alice.page.getByLabel('Your name')).toHaveValue('alice');
  await expect(alice.page.getByRole('button', { name: `#${room}` })).toBeVisible();

  await alice.page.goto(`/#room=${room}-2`);
  await alice.isJoined();
  await expect(alice.page.getByRole('heading', { level: 1 })).toHaveText(`#${room}-2`);
  await alice.say('Next door');

  await alice.page.goto(`/#room=${room}`);
  await alice.isJoined();
  await expect(alice.page).toHaveTitle(`#${room} \u00b7 Confab`);
  await expect(alice.words).toHaveCount(0);
});

test('the start screen says what a name and a room may be', async ({ guest }) => {
  const { page } = await guest('nobody');
  await page.goto('/');
  const name = page.getByLabel('Your name');
  const room = page.getByLabel('Room', { exact: true });
  for (const wrong of ['', '\u200b', 'a'.repeat(65), 'gnp.\u202eexe']) {
    await name.fill(wrong);
    await name.press('Enter');
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await expect(name).toBeFocused();
  }
  await name.fill('alice');
  await expect(name).toHaveAttribute('aria-invalid', 'false');
  await room.fill('no room!');
  await room.press('Enter');
  await expect(room).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#chat')).toBeHidden();
});

test('everything can be done with the keyboard', async ({ guest, room }) => {
  const alice = await guest('alice');
  const { keyboard } = alice.page;
  await alice.page.goto('/');
  await expect(alice.page.getByLabel('Your name')).toBeFocused();
  await keyboard.type('alice');
  await keyboard.press('Tab');
  await keyboard.type(room);
  await keyboard.press('Enter');
  await alice.isJoined();
  await expect(alice.message).toBeFocused();
  await keyboard.type('One line');
  await keyboard.press('Shift+Enter');
  await keyboard.type('and another');
  await keyboard.press('Enter');
  await expect(alice.row('One line\nand another')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.message).toHaveValue('');
  await expect(alice.message).toBeFocused();
});

test('a quiet room into which more than a screen comes at once is followed to its end', async ({ guest, room }) => {
  const alice = await guest('alice');
  const { page } = alice;
  const server = new ScriptedServer();
  await server.instead(page);
  await alice.enter(room);
  await expect(page.getByText('It is quiet in here')).toBeVisible();
  const messages = Array.from({ length: 20 }, (none, i) => ({
    messageType: 'TEXT',
    messageId: `0196f3c5-7a10-7000-8000-${String(i).padStart(12, '0')}`,
    userId: '2',
    username: 'bob',
    message: `Verse ${i}\nla la la\nla la`,
    timestamp: 1795222910884,
  }));
  server.send({ type: 'MESSAGES', roomId: room, position: '1020', messages });
  await expect(alice.words.last()).toBeInViewport();
  await expect(page.getByText('It is quiet in here')).toBeHidden();
});

test('who reads back is not pulled to the end, but told what is new', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);
  for (let i = 0; i < 4; i++) await bob.say(`Poem ${i}${'\nla la la'.repeat(15)}`);
  await expect(alice.words.last()).toBeInViewport();

  await alice.log.focus();
  await alice.page.keyboard.press('Home');
  await expect(alice.words.first()).toBeInViewport();
  await bob.say('The end');
  await expect(alice.row('The end')).toHaveCount(1);
  await expect(alice.row('The end')).not.toBeInViewport();
  await alice.page.getByRole('button', { name: '1 new message' }).click();
  await expect(alice.row('The end')).toBeInViewport();
});

test('a text that the database could not store says so, and the one after it is stored', async ({ guest, room }) => {
  const alice = await guest('alice');
  let rejected;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => {
      const { messageType, message, messageId } = JSON.parse(frame);
      if (messageType === 'TEXT' && message === 'Lost') rejected = messageId;
      server.send(frame);
    });
    server.onMessage((data) => {
      const frame = JSON.parse(data);
      page.send(JSON.stringify(frame.type === 'STORED' && rejected ? { ...frame, notStored: [rejected] } : frame));
    });
  });
  await alice.enter(room);
  await alice.say('Lost');
  const row = alice.row('Lost');
  await expect(row).toHaveAttribute('data-stored', 'false');
  await expect(row.locator('.mark')).toHaveAttribute('title', 'Sent, but not saved in the history');
  await expect(row.getByText('The history could not save this message')).toBeVisible();
  await expect(row.getByRole('button')).toHaveCount(0);
  await alice.say('Kept');
  await expect(alice.row('Kept')).toHaveAttribute('data-stored', 'true');
  await expect(row).toHaveAttribute('data-stored', 'false');
});

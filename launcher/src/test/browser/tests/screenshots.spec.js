import { resolve } from 'node:path';
import { expect, test } from '../support/guest.js';
import { ScriptedServer } from '../support/scripted-server.js';

const folder = process.env.CONFAB_SCREENSHOTS;
const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
const ROOMS = ['market-crew', 'garden-club', 'radio'];
const MORNING = new Date('2026-06-05T08:12:00');

/** The messages in the screenshots: user, room, minutes later. */
const TALK = [
  ['maya', 'market-crew', 0, 'Good morning! Who is in for the market on Saturday?'],
  ['jonas', 'market-crew', 2, 'Me. I can bring the cargo bike.'],
  ['jonas', 'market-crew', 0, 'There is a map here: https://example.org/market, the cheese is at the far end.'],
  ['lena', 'market-crew', 11, 'I am in, if we go before ten. After that there is a line for everything, even for radishes.'],
  ['maya', 'market-crew', 1, 'Half past eight then, at the fountain'],
  ['jonas', 'market-crew', 1, 'Deal.\nLast one there carries the potatoes.'],
  ['maya', 'garden-club', 2, 'The beans are coming up'],
  ['jonas', 'garden-club', 0, 'Mine, too!'],
  ['maya', 'market-crew', 3, 'I have a list: bread, two kinds of cheese, and flowers for Ines.'],
  ['lena', 'market-crew', 1, 'And coffee. There is a stall with an old machine, it is worth the walk.'],
];

for (const [size, form] of Object.entries(SIZES)) {
  for (const theme of ['light', 'dark']) {
    test(`pictures for the README: ${theme}, ${size}`, { tag: '@screenshots' }, async ({ guest }) => {
      test.skip(!folder, 'CONFAB_SCREENSHOTS names no folder');
      const lena = await guest('lena', { ...form, colorScheme: theme, timezoneId: 'UTC' });
      const { page } = lena;
      const server = await scripted(page);
      await page.clock.setFixedTime(MORNING);
      await page.goto('/');
      await expect(page.getByLabel('Your name')).toBeVisible();
      await page.screenshot({ path: resolve(folder, `start-${theme}-${size}.png`), animations: 'disabled' });

      await page.evaluate((rooms) => sessionStorage.setItem('confab.joined', JSON.stringify(rooms.map((name) => ({ name, read: null })))), ROOMS);
      await page.goto('/#room=market-crew');
      await page.getByLabel('Your name').fill('lena');
      await page.getByRole('button', { name: 'Join the room' }).click();
      await lena.isJoined();
      server.say(TALK);
      await expect(lena.words).toHaveCount(8);
      await expect(lena.words.last()).toBeInViewport();
      await expect(lena.row('And coffee. There is a stall with an old machine, it is worth the walk.')).toHaveAttribute('data-stored', 'true');
      await page.evaluate(() => document.activeElement.blur());
      await page.screenshot({ path: resolve(folder, `chat-${theme}-${size}.png`), animations: 'disabled' });
      if (size === 'phone') {
        await page.locator('#rooms-toggle').tap();
        await page.screenshot({ path: resolve(folder, `rooms-${theme}-${size}.png`), animations: 'disabled' });
      }
    });
  }
}

/** A server that says what is in the pictures: the same each time, and nothing else. */
async function scripted(page) {
  const ids = { maya: '2', jonas: '3' };
  let position = 1000n;
  let time = MORNING.getTime() - 45 * 60_000;
  const message = (roomId, type, username, text) => {
    position += 1n;
    const messageId = `0196f3c5-7a10-7000-8000-${String(position).padStart(12, '0')}`;
    const userId = ids[username] ?? server.userId;
    server.send({
      type: 'MESSAGES',
      roomId,
      position: String(position),
      messages: [{ messageType: type, messageId, userId, username, timestamp: time, ...(text && { message: text }) }],
    });
  };
  const server = new ScriptedServer((roomId) => message(roomId, 'JOIN', 'lena'));
  await server.instead(page);
  return {
    say(talk) {
      message('market-crew', 'JOIN', 'maya');
      message('market-crew', 'JOIN', 'jonas');
      for (const [username, roomId, minutes, text] of talk) {
        time += minutes * 60_000;
        message(roomId, 'TEXT', username, text);
      }
      server.send({ type: 'STORED', roomId: 'market-crew', position: String(position) });
    },
  };
}

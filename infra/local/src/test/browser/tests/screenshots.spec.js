import { resolve } from 'node:path';
import { expect, test } from '../support/guest.js';

const folder = process.env.CONFAB_SCREENSHOTS;
const desktop = { viewport: { width: 1120, height: 810 }, deviceScaleFactor: 2 };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

test('pictures for the README', { tag: '@screenshots' }, async ({ guest }) => {
  test.skip(!folder, 'CONFAB_SCREENSHOTS names no folder');
  // A fresh room, or yesterday's pictures are in today's history.
  const room = `${pick('breakfast lunch garden harbour winter garage')}-${pick('club corner plans crew table studio')}`;
  const lena = await guest('lena', desktop);
  const maya = await guest('maya', { ...desktop, colorScheme: 'dark' });
  const jonas = await guest('jonas', { ...phone, colorScheme: 'dark' });

  await lena.page.goto('/');
  await shot(lena, 'start');

  await lena.enter(room);
  await maya.enter(room);
  await lena.say('Good morning! Who is in for the market on Saturday?');
  await maya.say('Me. I can bring the cargo bike.');
  await maya.say('There is a map here: https://example.org/market, the cheese is at the far end.');
  await jonas.enter(room);
  await jonas.say('Morning both');
  await jonas.say('I am in, if we go before ten. After that you stand in line for everything, even for the radishes.');
  await lena.say('Half past eight then, at the fountain');
  await maya.say('Deal.\nLast one there carries the potatoes.');
  await lena.say('That will be jonas again');
  for (const reader of [lena, maya, jonas]) {
    await expect(reader.words).toHaveCount(8);
    await expect(reader.words.last()).toBeInViewport();
    await reader.page.evaluate(() => document.activeElement.blur());
  }

  await shot(lena, 'chat-light');
  await shot(maya, 'chat-dark');
  await shot(jonas, 'chat-phone');
});

function pick(words) {
  const choice = words.split(' ');
  return choice[Math.floor(Math.random() * choice.length)];
}

async function shot({ page }, name) {
  await page.screenshot({ path: resolve(folder, `${name}.png`), animations: 'disabled' });
}

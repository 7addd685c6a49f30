import { barriers, FORMS } from '../support/axe.js';
import { expect, test } from '../support/guest.js';

for (const [form, options] of Object.entries(FORMS)) {
  test(`nothing serious for axe on ${form}`, async ({ guest, room }) => {
    const alice = await guest('alice', { ...options, reducedMotion: 'reduce' });
    const bob = await guest('bob');
    const { page } = alice;
    let refuse = false;
    await page.routeWebSocket(/\/chat\//, (near) => {
      const server = near.connectToServer();
      near.onMessage((frame) => {
        const { messageType, messageId } = JSON.parse(frame);
        if (refuse && messageType === 'TEXT') {
          near.send(JSON.stringify({ type: 'ERROR', roomId: room, messageId, code: 'INVALID', errors: ['not with us'], retryable: false, retryAfterMs: null }));
        } else {
          server.send(frame);
        }
      });
    });
    await page.goto('/');
    expect(await barriers(page)).toEqual([]);

    await alice.enter(room);
    await bob.enter(room);
    await bob.say('Have a look at https://example.org/ when you find the time');
    await alice.say('I will');
    refuse = true;
    await alice.write('This one stays here');
    await expect(alice.row('This one stays here')).toHaveAttribute('data-status', 'failed');
    await page.context().setOffline(true);
    await expect(alice.state).toHaveText('Offline');
    expect(await barriers(page)).toEqual([]);
    await page.context().setOffline(false);

    if (options.isMobile) {
      for (const name of ['rooms', 'people']) {
        await page.locator(`#${name}-toggle`).tap();
        await expect(page.locator(`#${name}`)).toBeVisible();
        expect(await barriers(page)).toEqual([]);
        await page.keyboard.press('Escape');
      }
    }
  });
}

test('news are said, one by one while there are few, and only counted while there are many', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);
  await alice.page.evaluate(() => {
    globalThis.announced = [];
    const place = document.getElementById('announcer');
    new MutationObserver(() => announced.push(place.textContent)).observe(place, { childList: true });
  });
  await bob.say('Are you listening?');
  await expect.poll(() => alice.page.evaluate(() => announced)).toEqual(['bob: Are you listening?']);
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => bob.page.evaluate((text) => {
    const box = document.getElementById('text');
    box.value = text;
    box.form.requestSubmit();
  }, text)));
  await expect.poll(() => alice.page.evaluate(() => announced.at(-1))).toMatch(/^\d new messages$|^bob: /);
  await expect(alice.words).toHaveCount(6);
  await alice.say('I am');
  expect((await alice.page.evaluate(() => announced)).join()).not.toContain('I am');
});

import { expect, test } from '../support/guest.js';

const MANY = 10_000;

/** A frame of texts as a server sends it: from number `from` on. */
function frame(roomId, from, count) {
  const messages = Array.from({ length: count }, (none, i) => ({
    messageType: 'TEXT',
    messageId: `0196f3c5-7a10-7000-8000-${String(from + i).padStart(12, '0')}`,
    userId: String(2 + ((from + i) % 7)),
    username: `talker${(from + i) % 7}`,
    message: `Number ${from + i}${' and some more words'.repeat((from + i) % 9)}`,
    timestamp: 1795222910884 + (from + i) * 40_000,
  }));
  return JSON.stringify({ type: 'MESSAGES', roomId, position: String(9007199254740993n + BigInt(from + count)), messages });
}

/** Rows that the page makes while something goes on; prints how smooth that is. */
async function rowsMade(page, work) {
  await page.evaluate(() => {
    const drawn = { times: [], rows: 0 };
    const next = (now) => {
      drawn.times.push(now);
      drawn.frame = requestAnimationFrame(next);
    };
    drawn.frame = requestAnimationFrame(next);
    const made = new MutationObserver((changes) => changes.forEach(({ addedNodes }) => (drawn.rows += addedNodes.length)));
    made.observe(document.getElementById('rows'), { childList: true });
    globalThis.endOfDrawing = () => {
      cancelAnimationFrame(drawn.frame);
      made.disconnect();
      return drawn;
    };
  });
  await work();
  const { times, rows } = await page.evaluate(() => endOfDrawing());
  const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  const at = (part) => Math.round(gaps[Math.floor(gaps.length * part)]);
  console.log(`${rows} rows made; ${gaps.length} frames, ms between them: p50 ${at(0.5)}, p95 ${at(0.95)}, longest ${Math.round(gaps.at(-1))}`);
  return rows;
}

test('ten thousand messages stay smooth: while one scrolls, and while 200 more arrive each second', async ({ guest, room }) => {
  const alice = await guest('alice');
  const { page } = alice;
  let socket;
  await page.routeWebSocket(/\/chat\//, (near) => {
    near.connectToServer();
    socket = near;
  });
  await alice.enter(room);
  for (let from = 0; from < MANY; from += 100) socket.send(frame(room, from, 100));
  await expect(alice.words.last()).toContainText(`Number ${MANY - 1}`);
  expect(await page.locator('#rows > *').count()).toBeLessThan(400);

  let said = MANY;
  const madeByArriving = await rowsMade(page, async () => {
    for (const end = Date.now() + 4000; Date.now() < end; ) {
      socket.send(frame(room, said, 10));
      said += 10;
      await page.evaluate(() => new Promise((done) => setTimeout(done, 45)));
    }
  });
  const arrived = said - MANY;
  await expect(alice.words.last()).toContainText(`Number ${said - 1}`);
  await expect(alice.words.last()).toBeInViewport();

  const box = await alice.log.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const madeByScrolling = await rowsMade(page, async () => {
    for (let i = 0; i < 60; i++) {
      await page.mouse.wheel(0, -600);
      socket.send(frame(room, said++, 1));
    }
  });
  // New messages did not move the view.
  await expect(page.getByRole('button', { name: /^\d+ new messages$/ })).toBeVisible();
  await expect(alice.words.last()).not.toContainText(`Number ${said - 1}`);
  expect(await page.locator('#rows > *').count()).toBeLessThan(600);

  // Through all of it, in order, with nothing left out.
  const numbers = (await alice.words.allTextContents()).map((text) => Number(/^Number (\d+)/.exec(text)[1]));
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (none, i) => numbers[0] + i));

  // Prints the time but asserts the work: only rows that became visible were created.
  expect(madeByArriving).toBeLessThan(2 * arrived);
  expect(madeByScrolling).toBeLessThan(MANY / 5);
});

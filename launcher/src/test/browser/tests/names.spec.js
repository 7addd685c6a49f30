import { readFile } from 'node:fs/promises';
import { expect, test } from '../support/guest.js';

const TEXTS = JSON.parse(await readFile(new URL('../../../../../docs/reference/schemas/texts.json', import.meta.url), 'utf8'));

for (const name of ['محمد علي', '王小明', 'Alice Example', 'Zoë', 'Al', '👩‍🚀']) {
  test(`a person is called ${name}, by oneself and by others`, async ({ guest, room }) => {
    const alice = await guest(name);
    const bob = await guest('Bob B.');
    await bob.enter(room);
    await alice.enter(room);
    await expect(alice.page.locator('#people-me')).toHaveText(name);
    await expect(bob.people).toHaveText(['Bob B.', name]);
    await alice.say('hello');
    await expect(bob.row('hello').locator('.author')).toHaveText(name);
    await bob.page.reload();
    await expect(bob.row('hello').locator('.author')).toHaveText(name);
    await expect(bob.people).toHaveText(['Bob B.', name]);
    await alice.page.reload();
    await alice.isJoined();
    await expect(alice.page.locator('#people-me')).toHaveText(name);
    await expect(alice.row('hello')).toHaveClass(/own/);
  });
}

test('two people of one name are told apart', async ({ guest, room }) => {
  const first = await guest('Zoë Example');
  const second = await guest('Zoë Example');
  const reader = await guest('Bob');
  await reader.enter(room);
  await first.enter(room);
  await first.say('I am one');
  const mark = (text) => reader.row(text).locator('.namesake');
  await expect(mark('I am one')).toBeHidden();
  await second.enter(room);
  await second.say('I am another');
  await expect(mark('I am one')).toHaveText(/^#[0-9]+$/);
  await expect(mark('I am another')).toHaveText(/^#[0-9]+$/);
  expect(await mark('I am one').textContent()).not.toBe(await mark('I am another').textContent());
  const marks = reader.page.locator('#people-list .namesake:visible');
  await expect(marks).toHaveCount(2);
  expect(new Set(await marks.allTextContents()).size).toBe(2);
  await expect(reader.row('I am one').locator('.author')).toHaveAttribute('title', /id [0-9]+ · ZoeExample/);
});

test('blank texts, invisible characters and names are those of the table that the server is tested with', async ({ page }) => {
  await page.goto('/');
  const found = await page.evaluate(async ({ invisible, blank, visible, displayNames }) => {
    const { isBlank, sendable } = await import('/js/protocol.js');
    const { isName } = await import('/js/names.js');
    const listed = new Set(invisible.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (none, i) => from + i)));
    const wrong = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      if (isBlank(String.fromCodePoint(codePoint)) !== listed.has(codePoint)) wrong.push(codePoint.toString(16));
    }
    return {
      wrong,
      blank: blank.filter((text) => !isBlank(sendable(text))),
      visible: visible.filter((text) => isBlank(text)),
      accepted: displayNames.accepted.filter((name) => !isName(name)),
      refused: displayNames.refused.filter(([name]) => isName(name)),
    };
  }, TEXTS);
  expect(found).toEqual({ wrong: [], blank: [], visible: [], accepted: [], refused: [] });
});

test('a username is made of every name', async ({ page }) => {
  await page.goto('/');
  const made = await page.evaluate(async (names) => {
    const { usernameOf } = await import('/js/names.js');
    return names.map((name) => usernameOf(name, '7'));
  }, ['Alice Example', 'Zoë', 'Al', '王小明', 'a-very-long-name-of-somebody', '—']);
  expect(made).toEqual(['AliceExample', 'Zoe', 'Al700', 'user700', 'averylongnameofsomeb', 'user700']);
  for (const username of made) expect(username).toMatch(/^[A-Za-z0-9]{3,20}$/);
});

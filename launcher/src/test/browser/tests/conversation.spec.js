import { expect, test } from '../support/guest.js';

/** Runs a function in the page with a conversation that belongs to nothing: what it shows is what it returns. */
async function withConversation(page, play) {
  await page.goto('/');
  await page.evaluate(async () => {
    const { Conversation } = await import('/js/conversation.js');
    const conversation = new Conversation('lab');
    conversation.open = true;
    let position = 1000;
    Object.assign(globalThis, {
      conversation,
      me: { userId: '1', username: 'alice' },
      text: (text, more = {}) => ({ messageId: text, userId: '2', username: 'bob', text, timestamp: 1780000000000, own: false, position: String(++position), ...more }),
      shown: () => Array.from({ length: conversation.end - conversation.first }, (none, i) => conversation.at(conversation.first + i)),
      texts: () => shown().map((entry) => entry.text ?? entry.kind),
    });
  });
  return page.evaluate(play);
}

test('own texts stand behind what is there until they have their place', async ({ page }) => {
  const seen = await withConversation(page, () => {
    const seen = [];
    conversation.sending('one', me, 'one', 1);
    conversation.sending('two', me, 'two', 2);
    conversation.add(text('theirs'));
    seen.push(texts());
    conversation.add(text('one', { ...me, own: true }));
    seen.push(texts());
    conversation.add(text('theirs too'));
    conversation.accepted('two', 3, '2000');
    seen.push(texts());
    return seen;
  });
  expect(seen).toEqual([
    ['theirs', 'one', 'two'],
    ['theirs', 'one', 'two'],
    ['theirs', 'one', 'theirs too', 'two'],
  ]);
});

test('an own text is stored when the room is stored up to it, in whatever order that is told', async ({ page }) => {
  const stored = await withConversation(page, () => {
    const stored = () => shown().map((entry) => entry.stored);
    conversation.add(text('one', { ...me, own: true, position: '10' }));
    conversation.stored('9');
    const seen = [stored()];
    conversation.stored('10');
    conversation.add(text('two', { ...me, own: true, position: '9007199254740993' }));
    seen.push(stored());
    conversation.stored('9007199254740992');
    seen.push(stored());
    conversation.stored('9007199254740993');
    seen.push(stored());
    return seen;
  });
  expect(stored).toEqual([[false], [true, false], [true, false], [true, true]]);
});

test('an own text that could not be stored is never shown as stored, in whatever order that is told', async ({ page }) => {
  const marks = await withConversation(page, () => {
    const marks = () => shown().map((entry) => [entry.stored, entry.notStored]);
    const seen = [];
    conversation.add(text('one', { ...me, own: true, position: '10' }));
    conversation.stored('10', ['one']);
    seen.push(marks());
    conversation.sending('two', me, 'two', 1);
    conversation.stored('20', ['two']);
    conversation.accepted('two', 2, '20');
    seen.push(marks());
    conversation.add(text('three', { ...me, own: true, position: '30' }));
    conversation.stored('30');
    conversation.stored('40', ['three', 'of an earlier life']);
    seen.push(marks());
    return seen;
  });
  const lost = [false, true];
  expect(marks).toEqual([[lost], [lost, lost], [lost, lost, lost]]);
});

test('a page of the past goes in front, once, and places stay what they were', async ({ page }) => {
  const { before, after, all, days } = await withConversation(page, () => {
    const key = conversation.add(text('now'));
    const before = conversation.placeOf(key);
    const page = [text('a', { timestamp: 1779000000000 }), text('b', { timestamp: 1790000000000 }), text('now')];
    conversation.addOlder(page, true);
    const after = conversation.placeOf(key);
    conversation.addOlder(page);
    return { before, after, all: texts(), days: shown().map(({ day }) => day) };
  });
  expect(after).toBe(before);
  expect(all).toEqual(['a', 'b', 'gap', 'now']);
  expect(days).toEqual([...days].sort((a, b) => a - b));
});

test('a page of the past with a gap is of days that can be shown, also where nothing is here yet', async ({ page }) => {
  const { all, days, isToday } = await withConversation(page, async () => {
    const { dayOf } = await import('/js/time.js');
    const { Conversation } = await import('/js/conversation.js');
    const past = 1770000000000;
    conversation.addOlder([text('a', { timestamp: past - 86_400_000 }), text('b', { timestamp: past })], true);
    conversation.add(text('now', { timestamp: past + 86_400_000 }));
    const bare = new Conversation('bare');
    bare.addOlder([], true);
    return {
      all: texts(),
      days: shown().map(({ day }) => [-1, 0, 1].find((days) => dayOf(past + days * 86_400_000) === day)),
      isToday: bare.at(bare.first).day === dayOf(Date.now()),
    };
  });
  expect(all).toEqual(['a', 'b', 'gap', 'now']);
  expect(days).toEqual([-1, 0, 0, 1]);
  expect(isToday).toBe(true);
});

test("another's text under the id of one on its way takes nothing away from it", async ({ page }) => {
  const { texts: all, statuses } = await withConversation(page, () => {
    conversation.sending('id', { userId: '1', username: 'me' }, 'mine', 1);
    conversation.add({ ...text('copy', { userId: '666' }), messageId: 'id', own: false });
    const before = texts();
    conversation.accepted('id', 2, '9');
    return { texts: [before, texts()], statuses: shown().map(({ status }) => status) };
  });
  expect(all).toEqual([['copy', 'mine'], ['copy', 'mine']]);
  expect(statuses).toEqual([null, 'accepted']);
});

test('a room that nobody looks at is shortened, and says where the rest begins', async ({ page }) => {
  const { kept, first, older, olderThan } = await withConversation(page, () => {
    for (let i = 0; i < 3000; i++) conversation.add(text(`${i}`, { position: String(5000 + i) }));
    conversation.older = 'complete';
    conversation.open = false;
    const { older, olderThan } = conversation;
    return { kept: shown().length, first: texts()[0], older, olderThan: String(olderThan) };
  });
  expect({ kept, first, older, olderThan }).toEqual({ kept: 500, first: '2500', older: 'more', olderThan: '7500' });
});

test('comings and goings that follow each other are one line', async ({ page }) => {
  const lines = await withConversation(page, async () => {
    const { comingsAndGoings } = await import('/js/conversation.js');
    conversation.presence('ann', true, 1);
    conversation.presence('ben', true, 1);
    conversation.presence('ben', false, 1);
    conversation.add(text('hello'));
    conversation.presence('ann', false, 1);
    conversation.presence('ann', true, 1);
    for (const name of ['cleo', 'dora', 'emil', 'finn', 'gus']) conversation.presence(name, true, 1);
    const said = (events) => comingsAndGoings(events).map((part) => part.name ?? part).join('');
    return shown().map((entry) => (entry.events ? said(entry.events) : entry.text));
  });
  expect(lines).toEqual(['ann joined · ben looked in', 'hello', 'cleo, dora, emil and 2 others joined · ann came back']);
});

test('unread ones are counted from the first on, until the end was seen', async ({ page }) => {
  const seen = await withConversation(page, () => {
    const seen = [];
    const look = () => seen.push([conversation.unread, conversation.unreadMore, conversation.newFrom]);
    conversation.missed('a', true);
    conversation.missed('b');
    look();
    conversation.read();
    look();
    conversation.missed('c');
    look();
    conversation.markNew(null);
    look();
    return seen;
  });
  expect(seen).toEqual([
    [2, true, 'a'],
    [0, false, 'a'],
    [1, false, 'c'],
    [1, false, null],
  ]);
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Wire } from '../../../launcher/src/test/browser/support/wire.js';
import { entered, freshRoom, guest, jar, Platform, until, when } from './platform.js';

const numbered = (count) => Array.from({ length: count }, (none, i) => `text ${i}`);

describe('with a real server', { skip: jar ? false : 'CONFAB_JAR names no program' }, () => {
  // Its own: a test counts what the whole platform has done.
  const platform = new Platform();
  before(() => platform.start());
  after(() => platform.close());

  async function wired(t) {
    const wire = new Wire(platform.url);
    await wire.listen();
    t.after(() => wire.close());
    return wire;
  }

  test('two clients read one order, and know their messages by position', async (t) => {
    const name = freshRoom();
    const alice = await entered(guest(t, platform.url), name);
    const bob = await entered(guest(t, platform.url), name);
    const sent = await Promise.all([...numbered(20).map((text) => alice.room.send(`a ${text}`)), ...numbered(20).map((text) => bob.room.send(`b ${text}`))]);
    await until('both have read all', () => alice.texts.length === 40 && bob.texts.length === 40);
    assert.deepEqual(alice.texts, bob.texts);
    assert.deepEqual(alice.texts.filter((text) => text.startsWith('a')), numbered(20).map((text) => `a ${text}`));
    const positions = sent.slice(0, 20).map(({ position }) => BigInt(position));
    assert.ok(positions.every((position, i) => i === 0 || position > positions[i - 1]));
  });

  test('several rooms share a socket, and one is left without the others', async (t) => {
    const client = guest(t, platform.url);
    const names = [freshRoom(), freshRoom(), freshRoom()];
    const watched = await entered(guest(t, platform.url), names[1]);
    const rooms = await Promise.all(names.map((name) => entered(client, name)));
    await Promise.all(rooms.map(({ room }, i) => room.send(`in ${i}`)));
    await until('each has its text', () => rooms.every(({ texts }, i) => texts.join() === `in ${i}`));
    const left = when(watched.room, 'left');
    rooms[1].room.leave();
    await left;
    await rooms[2].room.send('still here');
    const again = await entered(client, names[1], { history: 50 });
    await until('its history is there', () => again.texts.length === 1);
    assert.deepEqual(again.texts, ['in 1']);
  });

  test('a thousand messages written without a connection arrive once, in order, when there is one', async (t) => {
    const wire = await wired(t);
    const name = freshRoom();
    const client = guest(t, wire.address);
    const alice = await entered(client, name);
    const bob = await entered(guest(t, platform.url), name);
    const away = when(client, 'state', ({ state }) => state === 'connecting');
    wire.cut();
    await away;
    const sent = numbered(1000).map((text) => alice.room.send(text));
    await assert.rejects(alice.room.send('one too many'), { code: 'QUEUE_FULL' });
    wire.mend();
    await Promise.all(sent);
    await until('bob has read all', () => bob.texts.length >= 1000);
    assert.deepEqual(bob.texts, numbered(1000));
    assert.deepEqual(alice.texts, numbered(1000));
  });

  test('a message whose answer was lost is sent again, and stands there once', async (t) => {
    const wire = await wired(t);
    const name = freshRoom();
    const alice = await entered(guest(t, wire.address), name);
    const bob = await entered(guest(t, platform.url), name);
    wire.deafen();
    const sent = alice.room.send('did you get this?');
    await until('bob has read it', () => bob.texts.length === 1);
    wire.cut();
    wire.mend();
    const { position } = await sent;
    await alice.room.send('once is enough');
    await until('bob has read that, too', () => bob.texts.length === 2);
    assert.deepEqual(bob.texts, ['did you get this?', 'once is enough']);
    assert.deepEqual(alice.texts, bob.texts);
    assert.ok(BigInt(position) <= BigInt(alice.room.position));
  });

  test('what was missed follows after a cut, and what never arrived is sent again, over and over', async (t) => {
    const wire = await wired(t);
    const name = freshRoom();
    const alice = await entered(guest(t, wire.address), name);
    const bob = await entered(guest(t, platform.url), name);
    const all = [];
    for (let round = 0; round < 5; round++) {
      wire.silence();
      all.push(alice.room.send(`a ${round}`));
      await bob.room.send(`b ${round}`);
      wire.cut();
      all.push(alice.room.send(`c ${round}`));
      wire.mend();
      await when(alice.room, 'open');
    }
    await Promise.all(all);
    await until('both have read all', () => alice.texts.length >= 15 && bob.texts.length >= 15);
    assert.deepEqual(alice.texts, bob.texts);
    assert.equal(new Set(bob.texts).size, 15);
    const mine = bob.texts.filter((text) => !text.startsWith('b'));
    assert.deepEqual(mine, [0, 1, 2, 3, 4].flatMap((round) => [`a ${round}`, `c ${round}`]));
  });

  test('stored means stored: over REST it is there', async (t) => {
    const name = freshRoom();
    const { room } = await entered(guest(t, platform.url), name, { stored: true });
    const { messageId, position } = await room.send('keep this', { until: 'stored' });
    const { messages } = await (await fetch(`${platform.url}/api/rooms/${name}/messages?types=TEXT`)).json();
    assert.deepEqual(messages.map((message) => [message.messageId, message.position, message.message]), [[messageId, position, 'keep this']]);
  });

  test('who comes back from long ago gets all of it in order, page by page, from what is stored', async (t) => {
    const name = freshRoom();
    const { room } = await entered(guest(t, platform.url), name, { stored: true });
    const { position } = await room.send('before');
    // Beyond the 2,048 that a server remembers of a room there are three pages of 500, the last of them not full.
    const all = Array.from({ length: 3400 }, (_, i) => `text ${i}`);
    for (let i = 0; i < all.length; i += 100) await Promise.all(all.slice(i, i + 100).map((text) => room.send(text)));
    all.push('the end');
    await room.send('the end', { until: 'stored' });
    const before = await platform.counts();
    const late = await entered(guest(t, platform.url), name, { resume: position });
    await until('all has come', () => late.texts.includes('the end'));
    assert.deepEqual(late.texts, all);
    assert.deepEqual(late.gaps, []);
    const after = await platform.counts();
    const grown = (metric) => after[metric] - before[metric];
    assert.equal(grown('chat_joins_past_total{source="history"}'), 1);
    assert.equal(grown('chat_backlog_reads_total{outcome="read"}'), 0);
  });

  test('the roster tells who is here', async (t) => {
    const name = freshRoom();
    const alice = await entered(guest(t, platform.url), name);
    const bob = await entered(guest(t, platform.url), name);
    const { members, roster, next } = await bob.room.roster();
    assert.deepEqual([members, roster.length, next], [2, 2, null]);
    const page = await alice.room.roster({ limit: 1 });
    assert.equal(page.next, page.roster[0].userId);
    assert.deepEqual((await alice.room.roster({ after: page.next })).roster, [roster[1]]);
  });

  test('what the server refuses rejects with its code', async (t) => {
    const { room } = await entered(guest(t, platform.url), freshRoom());
    await assert.rejects(room.send('a\u0000b'), { code: 'INVALID', retryable: false });
    const { messageId } = await room.send('first');
    await assert.rejects(room.send('another', { messageId }), { code: 'CONFLICT' });
    await assert.rejects(room.roster({ limit: 501 }), { code: 'INVALID' });
    await room.send('all is well');
    const nobody = guest(t, platform.url, { username: 'no!' }).join(freshRoom());
    assert.equal((await when(nobody, 'closed')).code, 'INVALID');
  });
});

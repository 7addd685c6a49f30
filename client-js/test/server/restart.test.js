import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entered, freshRoom, guest, jar, Platform, until, when } from './platform.js';

test('a server that is drained, and one that is killed, lose nothing and double nothing', { skip: jar ? false : 'CONFAB_JAR names no program' }, async (t) => {
  const platform = new Platform();
  t.after(() => platform.close());
  await platform.start();
  const name = freshRoom();
  const client = guest(t, platform.url);
  const alice = await entered(client, name);
  const bob = await entered(guest(t, platform.url), name);
  const all = [];
  /** Says things all the while, and returns once some more of them are accepted. */
  const talk = async (count) => {
    const sent = Array.from({ length: count }, () => {
      const text = `text ${all.length}`;
      all.push(text);
      return alice.room.send(text);
    });
    await sent[Math.floor(count / 10)];
    return Promise.all(sent);
  };

  const told = when(client, 'state', ({ code }) => code === 4200);
  const drained = talk(300);
  await when(alice.room, 'accepted');
  await platform.stop();
  await told;
  await platform.start();
  await drained;
  // Bob cannot lose a text that he has received, however soon the server is killed.
  await until('bob has heard all of it', () => bob.texts.length === all.length);

  const killed = talk(300);
  await when(alice.room, 'accepted');
  await platform.kill();
  await platform.start();
  await killed;
  const { position } = await alice.room.send('the end');

  await until('bob is as far', () => bob.texts.includes('the end'));
  assert.ok(BigInt(bob.room.position) >= BigInt(position));
  assert.equal(new Set(bob.texts).size, bob.texts.length);
  const missing = all.filter((text) => !bob.texts.includes(text));
  // The log of one process is in memory: texts accepted less than a second before the kill may be lost, and are reported.
  assert.ok(missing.length === 0 || bob.gaps.length > 0, String(missing));
  assert.deepEqual(bob.texts.slice(0, 300), all.slice(0, 300));
  assert.deepEqual(bob.texts.filter((text) => all.includes(text)), all.filter((text) => bob.texts.includes(text)));
});

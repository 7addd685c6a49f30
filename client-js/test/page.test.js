import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Script, settled } from './support/scripted.js';

describe('in a page', () => {
  let script;
  let window;
  beforeEach(() => {
    script = new Script();
    window = new EventTarget();
    globalThis.document = Object.assign(new EventTarget(), { hidden: false });
    globalThis.addEventListener = window.addEventListener.bind(window);
  });
  afterEach(() => {
    script.end();
    delete globalThis.document;
    delete globalThis.addEventListener;
  });

  const happens = async (target, type, more = {}) => {
    target.dispatchEvent(Object.assign(new Event(type), more));
    await settled();
  };

  async function waiting(client) {
    await script.welcome();
    await script.socket.end();
    assert.equal(client.state, 'connecting');
  }

  test('the network’s return, or the page’s, ends the waiting', async () => {
    const client = script.client();
    client.join('lobby');
    await waiting(client);
    await happens(window, 'online');
    assert.equal(script.sockets.length, 2);
    await happens(window, 'online'); // under way already
    assert.equal(script.sockets.length, 2);
    await waiting(client);
    document.hidden = true;
    await happens(document, 'visibilitychange');
    assert.equal(script.sockets.length, 2);
    document.hidden = false;
    await happens(document, 'visibilitychange');
    assert.equal(script.sockets.length, 3);
  });

  test('a page that is seen again makes sure of its socket', async () => {
    const client = script.client();
    client.join('lobby');
    const socket = await script.welcome();
    await script.time.pass(1000);
    await happens(document, 'visibilitychange');
    assert.equal(socket.of('MEMBERS').length, 1);
    await script.time.pass(10_000);
    assert.equal(client.state, 'connecting');
  });

  test('a lost network is found out by a new socket', async () => {
    const client = script.client();
    client.join('lobby');
    const socket = await script.welcome();
    await happens(window, 'offline');
    assert.ok(socket.isClosed);
    assert.equal(script.sockets.length, 2);
    await script.socket.end();
    await happens(window, 'offline'); // waits anyhow
    assert.equal(script.sockets.length, 2);
  });

  test('a page that is put away has no socket, and a new one when it is fetched back', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const socket = await script.welcome();
    await happens(window, 'pagehide');
    assert.ok(socket.isClosed);
    assert.equal(room.joined, false);
    await script.time.pass(3_600_000);
    assert.equal(script.sockets.length, 1);
    await happens(window, 'pageshow', { persisted: false });
    assert.equal(script.sockets.length, 1);
    await happens(window, 'pageshow', { persisted: true });
    await script.welcome();
    assert.ok(room.joined);
  });

  test('a client stays closed when a page that is put away makes a listener leave the last room', async () => {
    const client = script.client();
    const room = client.join('lobby');
    room.on('left', () => room.leave());
    const socket = await script.welcome();
    const bob = (messageType, n) => ({ messageType, messageId: `00000000-0000-7000-8000-00000000000${n}`, userId: '7', username: 'bob' });
    await socket.say(script.messages('lobby', bob('JOIN', 1), bob('LEAVE', 2)));
    await happens(window, 'pagehide');
    assert.equal(client.state, 'disconnected');
  });

  test('nothing listens any more once the client is closed, or sent away', async () => {
    for (const end of [(client) => client.close(), () => script.socket.end(4000)]) {
      const client = script.client();
      client.join('lobby');
      await script.welcome();
      await end(client);
      const sockets = script.sockets.length;
      for (const type of ['online', 'offline', 'pagehide', 'pageshow']) await happens(window, type, { persisted: true });
      await happens(document, 'visibilitychange');
      assert.equal(script.sockets.length, sockets);
      assert.equal(client.state, 'disconnected');
    }
  });
});

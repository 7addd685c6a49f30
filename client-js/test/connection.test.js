import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { Script, recorded, settled } from './support/scripted.js';

describe('the connection', () => {
  let script;
  beforeEach(() => (script = new Script()));
  afterEach(() => script.end());

  test('is made with the first room, at the address of that room', async () => {
    const client = script.client();
    assert.equal(client.state, 'disconnected');
    const states = recorded(client, 'state');
    client.join('lobby');
    await script.welcome();
    assert.equal(script.socket.url, 'ws://confab.test/chat/lobby');
    assert.deepEqual(script.socket.protocols, ['confab.v1']);
    assert.equal(client.state, 'connected');
    assert.deepEqual(states.map(([, { state }]) => state), ['connecting', 'connected']);
  });

  test('carries several rooms over one socket, and ends with the last', async () => {
    const client = script.client();
    const lobby = client.join('lobby');
    const garden = client.join('garden');
    await script.welcome();
    const kitchen = client.join('kitchen');
    await script.socket.say(script.welcomeTo('kitchen'));
    assert.deepEqual(script.socket.of('JOIN').map(({ roomId }) => roomId), ['lobby', 'garden', 'kitchen']);
    assert.deepEqual(client.rooms, [lobby, garden, kitchen]);

    garden.leave();
    lobby.leave();
    assert.deepEqual(script.socket.of('LEAVE').map(({ roomId }) => roomId), ['garden', 'lobby']);
    assert.equal(client.state, 'connected');
    kitchen.leave();
    assert.ok(script.socket.isClosed);
    assert.equal(client.state, 'disconnected');
    assert.equal(script.sockets.length, 1);
  });

  test('joins a room that is asked for between the opened socket and the first welcome', async () => {
    const client = script.client();
    client.join('lobby');
    await settled();
    await script.socket.open();
    client.join('garden');
    assert.equal(script.socket.of('JOIN').length, 2);
  });

  test('goes on at the next room’s address when the first was left', async () => {
    const client = script.client();
    const lobby = client.join('lobby');
    client.join('garden');
    await script.welcome();
    lobby.leave();
    await script.socket.end();
    await script.time.pass(1000);
    assert.equal(script.socket.url, 'ws://confab.test/chat/garden');
  });

  test('backs off with full jitter, from 0.5 to 20 s', async () => {
    const client = script.client();
    client.join('lobby');
    const ceilings = [];
    for (let attempt = 0; attempt < 10; attempt++) {
      await settled();
      let retryAt;
      const off = client.on('state', (event) => (retryAt ??= event.retryAt));
      await script.socket.end();
      off();
      ceilings.push(retryAt - script.time.wall);
      await script.time.pass(Math.ceil(retryAt - script.time.wall));
      assert.equal(script.sockets.length, attempt + 2);
    }
    ceilings.forEach((delay, i) => assert.ok(delay >= 500 && delay <= Math.min(20_000, 1000 * 2 ** i), `${i}: ${delay}`));
    assert.ok(new Set(ceilings).size > 5);
  });

  test('begins again with the shortest delay only after a session that held', async () => {
    const client = script.client();
    client.join('lobby');
    const failures = async (held) => {
      await script.welcome();
      await script.time.pass(held);
      let retryAt;
      const off = client.on('state', (event) => (retryAt = event.retryAt));
      await script.socket.end();
      off();
      const delay = retryAt - script.time.wall;
      await script.time.pass(delay);
      return delay;
    };
    const random = Math.random;
    Math.random = () => 0.999;
    try {
      const delays = [];
      for (const held of [100, 100, 100, 9_900, 10_000, 100]) delays.push(Math.round(await failures(held)));
      assert.deepEqual(delays, [1000, 1998, 3997, 7993, 1000, 1998].map((about, i) => (Math.abs(delays[i] - about) < 10 ? delays[i] : about)));
    } finally {
      Math.random = random;
    }
  });

  for (const [code, wish] of [
    [4000, 'stay'], [4001, 'stay'], [4099, 'stay'], [1003, 'stay'],
    [4100, 'backOff'], [4103, 'backOff'], [4199, 'backOff'], [1006, 'backOff'], [1011, 'backOff'], [4300, 'backOff'],
    [4200, 'atOnce'], [4201, 'atOnce'], [4299, 'atOnce'],
  ]) {
    test(`obeys close code ${code}: ${wish}`, async () => {
      const client = script.client();
      const states = recorded(client, 'state');
      const room = client.join('lobby');
      await script.welcome();
      await script.socket.end(code, 'because');
      const [, last] = states.at(-1);
      assert.equal(last.code, code);
      assert.equal(last.reason, 'because');
      await script.time.pass(499);
      assert.equal(script.sockets.length, wish === 'atOnce' ? 2 : 1);
      await script.time.pass(60_000);
      assert.equal(script.sockets.length > 1, wish !== 'stay');
      assert.equal(client.state, wish === 'stay' ? 'disconnected' : 'connecting');
      assert.equal(room.joined, false);
    });
  }

  test('does not run in circles for a server that sends it away at every turn', async () => {
    const client = script.client();
    client.join('lobby');
    for (let turn = 0; turn < 5; turn++) {
      await script.welcome();
      await script.socket.end(4200);
      await script.time.pass(500);
    }
    assert.ok(script.sockets.length <= 4, String(script.sockets.length));
  });

  test('connects at once when told to, also after it was sent away', async () => {
    const client = script.client();
    client.join('lobby');
    await script.welcome();
    await script.socket.end(4000);
    await script.time.pass(60_000);
    client.connect();
    await script.welcome();
    assert.equal(client.state, 'connected');
  });

  test('ends where no socket can be made for the address, tells so, and is tried again when told to', async () => {
    let tries = 0;
    let tokens = 0;
    const client = script.client({
      token: () => `t${++tokens}`,
      WebSocket: class {
        constructor() {
          tries++;
          throw new DOMException('insecure from a page of https', 'SecurityError');
        }
      },
    });
    const errors = recorded(client, 'error');
    const states = recorded(client, 'state');
    const sent = client.join('lobby').send('hi');
    await script.time.pass(60_000);
    assert.deepEqual(errors.map(([, { code, message, retryable }]) => [code, message, retryable]), [['ADDRESS', 'insecure from a page of https', false]]);
    assert.deepEqual(states.map(([, { state, reason }]) => [state, reason]), [['connecting', ''], ['disconnected', 'insecure from a page of https']]);
    client.connect();
    await settled();
    assert.deepEqual([tries, tokens, errors.length], [2, 1, 2]);
    client.close();
    await assert.rejects(sent, { code: 'CLOSED' });
  });

  test('gives up a socket that does not open, and a JOIN without an answer', async () => {
    const client = script.client();
    client.join('lobby');
    await script.time.pass(10_000);
    assert.ok(script.socket.isClosed);
    await script.time.pass(1000);
    assert.equal(script.sockets.length, 2);
    await script.socket.open();
    await script.time.pass(39_999);
    assert.equal(script.sockets.length, 2);
    await script.time.pass(2001);
    assert.equal(script.sockets.length, 3);
  });

  test('asks after a ping interval of silence, and is lost 10 s later', async () => {
    const client = script.client();
    client.join('lobby');
    const socket = await script.welcome();
    await script.time.pass(24_000);
    assert.equal(socket.of('MEMBERS').length, 0);
    await script.time.pass(1000);
    assert.deepEqual(socket.of('MEMBERS').map(({ roomId, limit }) => [roomId, limit]), [['lobby', 1]]);
    await script.time.pass(9_999);
    assert.equal(client.state, 'connected');
    await script.time.pass(1);
    assert.equal(client.state, 'connecting');
    assert.ok(socket.isClosed);
  });

  test('takes any frame as a sign of life', async () => {
    const client = script.client();
    client.join('lobby');
    const socket = await script.welcome();
    for (let i = 0; i < 10; i++) {
      await script.time.pass(20_000);
      await socket.say({ type: 'STORED', roomId: 'lobby', position: '1' });
    }
    assert.equal(socket.of('MEMBERS').length, 0);
    await script.time.pass(30_000);
    await socket.say({ type: 'MEMBERS', roomId: 'lobby', members: 1, roster: [], next: null });
    await script.time.pass(20_000);
    assert.equal(client.state, 'connected');
    assert.equal(script.sockets.length, 1);
  });

  test('waits longer for the answer to a text: the log may be slow, and nothing is read behind it', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const socket = await script.welcome();
    room.send('hi');
    await script.time.pass(39_999);
    assert.equal(client.state, 'connected');
    await script.time.pass(1);
    assert.equal(client.state, 'connecting');
    assert.equal(socket.of('TEXT').length, 1);
  });

  test('waits no longer because more is written meanwhile, but anew after each answer', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const socket = await script.welcome();
    room.send('one');
    await script.time.pass(30_000);
    await socket.say(...script.accept(socket.of('TEXT')[0]));
    room.send('two');
    await script.time.pass(20_000);
    room.send('three');
    await script.time.pass(19_999);
    assert.equal(client.state, 'connected');
    await script.time.pass(1);
    assert.equal(client.state, 'connecting');
    assert.equal(socket.of('TEXT').length, 2);
  });

  test('does not care about the clock on the wall', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const socket = await script.welcome();
    for (const jump of [3_600_000, -7_200_000, 86_400_000 * 365]) {
      script.time.jump(jump);
      const sent = room.send(`after ${jump}`);
      await script.time.pass(1000);
      await socket.say(...script.accept(socket.of('TEXT').at(-1)));
      assert.match((await sent).messageId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
    await script.time.pass(20_000);
    assert.equal(client.state, 'connected');
    assert.equal(script.sockets.length, 1);
  });

  test('takes a frame that is no JSON as the end of the socket', async () => {
    const client = script.client();
    client.join('lobby');
    await script.welcome();
    await script.socket.sayUnchecked('<html>');
    assert.equal(client.state, 'connecting');
  });

  test('ignores types and fields that it does not know', async () => {
    const client = script.client();
    client.join('lobby');
    await script.welcome();
    await script.socket.sayUnchecked({ type: 'STORED', roomId: 'lobby', position: '1', surprise: {} }, { type: 'PARTY', roomId: 'lobby' }, { type: 'PARTY' });
    await script.socket.say({ type: 'STORED', roomId: 'elsewhere', position: '1' });
    assert.equal(client.state, 'connected');
  });

  test('closes for good, once', async () => {
    const client = script.client();
    const room = client.join('lobby');
    await script.welcome();
    const states = recorded(client, 'state');
    client.close();
    client.close();
    assert.equal(states.length, 1);
    assert.equal(states[0][1].state, 'disconnected');
    await script.time.pass(60_000);
    assert.equal(script.sockets.length, 1);
    await assert.rejects(room.send('too late'), { code: 'CLOSED', retryable: false });
    client.join('lobby');
    await script.welcome();
    assert.equal(client.state, 'connected');
  });

  test('closes when a listener of a room that it closes leaves another one', async () => {
    const client = script.client();
    const [lobby, other] = ['lobby', 'other'].map((name) => client.join(name));
    await script.welcome();
    lobby.on('closed', () => other.leave());
    client.close();
    assert.deepEqual([client.state, client.rooms], ['disconnected', []]);
  });

  for (const [end, lose] of [
    ['a lost connection', ({ socket }) => socket.end()],
    ['a close code to return at once', ({ socket }) => socket.end(4200)],
    ['a frame that is no JSON', ({ socket }) => socket.sayUnchecked('{')],
    ['connect()', (of, client) => client.connect()],
  ]) {
    /** A departure waits for its correction: losing the connection reports it to listeners. */
    const departing = async () => {
      const client = script.client();
      const room = client.join('lobby');
      await script.welcome();
      const bob = { messageId: '00000000-0000-7000-8000-000000000001', userId: '7', username: 'bob' };
      await script.socket.say(script.messages('lobby', { messageType: 'JOIN', ...bob }));
      const depart = () => script.socket.say(script.messages('lobby', { messageType: 'LEAVE', ...bob, messageId: bob.messageId.replace(/1$/, '2') }));
      return { client, room, depart };
    };

    test(`stays closed when ${end} makes a listener leave the last room`, async () => {
      const { client, room, depart } = await departing();
      room.on('left', () => room.leave());
      await depart();
      await lose(script, client);
      await script.time.pass(60_000);
      assert.equal(client.state, 'disconnected');
      assert.equal(script.sockets.length, 1);
    });

    test(`is made once when ${end} makes a listener join another room`, async () => {
      const { client, room, depart } = await departing();
      room.on('left', () => {
        room.leave();
        client.join('garden');
      });
      await depart();
      await lose(script, client);
      await script.welcome();
      await script.time.pass(20_000);
      assert.equal(client.state, 'connected');
      assert.deepEqual(script.sockets.map(({ url }) => url.split('/').at(-1)), ['lobby', 'garden']);
    });
  }

  test('is closed as soon as it is connected where a listener does that', async () => {
    const asked = [];
    const client = script.client({ token: (why) => `t${asked.push(why)}` });
    client.on('state', ({ state }) => state === 'connected' && client.close());
    client.join('lobby');
    await script.welcome({ expiresAt: script.time.wall + 300_000 });
    await script.time.pass(600_000);
    assert.deepEqual([client.state, asked], ['disconnected', ['connect']]);
  });

  test('reports what a listener throws, and goes on', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const heard = [];
    const reported = [];
    mock.method(globalThis, 'queueMicrotask', (report) => reported.push(report));
    room.on('message', () => {
      throw new Error('mine');
    });
    room.on('message', ({ text }) => heard.push(text));
    await script.welcome();
    await script.socket.say(script.messages('lobby', { messageType: 'TEXT', messageId: '00000000-0000-7000-8000-000000000001', userId: '7', username: 'bob', message: 'hi' }));
    mock.restoreAll();
    assert.deepEqual(heard, ['hi']);
    assert.equal(reported.length, 1);
    assert.throws(reported[0], { message: 'mine' });
    assert.equal(client.state, 'connected');
  });
});

describe('a refused connection', () => {
  let script;
  let asked;
  let answer;
  beforeEach(() => {
    script = new Script();
    asked = [];
    answer = () => refusal(403, { title: 'Forbidden', reason: 'origin', detail: 'this origin is not allowed' });
  });
  afterEach(() => script.end());

  /** An answer whose body takes no time that is not stepped. */
  const refusal = (status, problem, headers = {}) => ({ status, headers: new Headers(headers), json: async () => problem });
  /** Without a `fetch` of its own: what `answer` says. */
  function refused(options = {}) {
    const fetch = async (url, init) => {
      asked.push([url, init.headers.Authorization]);
      return answer(init);
    };
    const client = script.client({ fetch, ...options }, 'wss://confab.test/here');
    client.join('lobby');
    return { client, errors: recorded(client, 'error') };
  }
  async function fail() {
    await settled();
    await script.socket.end();
  }
  async function nextSocket() {
    for (const { length } = script.sockets; script.sockets.length === length; ) await script.time.pass(100);
  }
  const told = (errors) => errors.map(([, { code, status, reason, detail, retryable }]) => [code, status, reason, detail, retryable]);

  test('says why, once, and is final where the server says so', async () => {
    const { client, errors } = refused({ token: 'mine' });
    await fail();
    assert.deepEqual(asked, [['https://confab.test/here/chat/lobby', 'Bearer mine']]);
    assert.deepEqual(told(errors), [['REFUSED', 403, 'origin', 'this origin is not allowed', false]]);
    assert.match(errors[0][1].message, /refused.*this origin is not allowed.*403.*origin/);
    assert.equal(client.state, 'disconnected');
    await script.time.pass(60_000);
    assert.equal(script.sockets.length, 1);
    client.connect();
    await fail();
    assert.equal(errors.length, 2);
  });

  test('goes on where a wait can help, as long as the server wants, and tells it once', async () => {
    answer = () => refusal(503, { title: 'Service Unavailable', reason: 'full' }, { 'Retry-After': '30' });
    const { client, errors } = refused();
    for (const sockets of [1, 2]) {
      await fail();
      await script.time.pass(29_999);
      assert.equal(script.sockets.length, sockets);
      await script.time.pass(501);
    }
    assert.deepEqual(told(errors), [['REFUSED', 503, 'full', 'Service Unavailable', true]]);
    await script.welcome();
    assert.equal(client.state, 'connected');
    await script.socket.end();
    await nextSocket();
    await fail();
    assert.equal(errors.length, 2);
  });

  test('for its token is final with a string, and asks a function for another', async () => {
    answer = () => refusal(401, { title: 'Unauthorized', reason: 'token-expired' });
    const fixed = refused({ token: 'old' });
    await fail();
    assert.equal(fixed.client.state, 'disconnected');
    assert.deepEqual(told(fixed.errors), [['REFUSED', 401, 'token-expired', 'Unauthorized', false]]);

    let tokens = 0;
    const asking = refused({ token: () => `t${++tokens}` });
    await fail();
    assert.equal(asking.client.state, 'connecting');
    assert.deepEqual(told(asking.errors), [['REFUSED', 401, 'token-expired', 'Unauthorized', true]]);
    await script.time.pass(1000);
    assert.deepEqual(script.socket.protocols, ['confab.v1', 'bearer.t2']);
  });

  test('that nobody explains is told as not reachable, and tried on', async () => {
    answer = () => {
      throw new TypeError('Failed to fetch');
    };
    const { client, errors } = refused();
    for (let i = 0; i < 3; i++) {
      await fail();
      await nextSocket();
    }
    assert.equal(asked.length, 3);
    assert.deepEqual(errors.map(([, { code, retryable }]) => [code, retryable]), [['UNREACHABLE', true]]);
    assert.equal(client.state, 'connecting');
  });

  test('that the server would accept is blamed on what is in between, the second time', async () => {
    answer = () => refusal(426, { title: 'Upgrade Required', reason: 'upgrade' });
    const { errors } = refused();
    await fail();
    assert.deepEqual(errors, []);
    await script.time.pass(1000);
    await fail();
    assert.deepEqual(errors.map(([, { code, status, retryable }]) => [code, status, retryable]), [['REFUSED', 426, true]]);
  });

  test('is not final by the word of something that is no Confab server', async () => {
    answer = () => ({ ...refusal(404), json: async () => JSON.parse('<h1>Not here</h1>') });
    const { client, errors } = refused();
    await fail();
    assert.deepEqual(told(errors), [['REFUSED', 404, null, null, true]]);
    assert.equal(client.state, 'connecting');
  });

  test('whose reason comes too late changes nothing: connected or closed meanwhile', async () => {
    let late;
    answer = ({ signal }) => new Promise((resolve) => (late = () => resolve(refusal(signal.aborted ? 403 : 500, { reason: 'origin' }))));
    const { client, errors } = refused();
    await fail();
    await script.time.pass(1000);
    await script.welcome();
    late();
    await fail();
    client.close();
    late();
    await settled();
    assert.deepEqual(errors, []);
  });

  test('is not asked about once a listener has left the last room', async () => {
    const { client, errors } = refused({ token: 'mine' });
    client.on('state', ({ retryAt }) => retryAt && client.rooms[0].leave());
    await fail();
    assert.deepEqual([asked, errors, client.state], [[], [], 'disconnected']);
  });

  test('is not asked about once a listener has begun the next attempt', async () => {
    const { client, errors } = refused();
    const off = client.on('state', ({ retryAt }) => {
      if (!retryAt) return;
      off();
      client.close();
      client.join('garden');
    });
    await fail();
    assert.deepEqual([asked, errors], [[], []]);
    await script.welcome();
    assert.equal(client.state, 'connected');
  });

  test('is told once more after a listener has closed the client, and nothing is told to a closed client', async () => {
    answer = () => refusal(503, { title: 'Service Unavailable', reason: 'full' }, { 'Retry-After': '30' });
    const { client, errors } = refused();
    let waits = 0;
    const off = client.on('state', ({ retryAt }) => retryAt && ++waits === 2 && client.close());
    await fail();
    assert.deepEqual([errors, client.state], [[], 'disconnected']);
    off();
    client.join('lobby');
    await fail();
    assert.deepEqual(told(errors), [['REFUSED', 503, 'full', 'Service Unavailable', true]]);
  });

  test('whose reason nobody answers is given up after ten seconds', async () => {
    answer = ({ signal }) => new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { errors } = refused();
    await fail();
    await script.time.pass(10_000);
    assert.deepEqual(errors.map(([, { code }]) => code), ['UNREACHABLE']);
  });
});

describe('the token', () => {
  let script;
  beforeEach(() => (script = new Script()));
  afterEach(() => script.end());

  test('goes as a subprotocol', async () => {
    script.client({ token: 'abc.def' }).join('lobby');
    await script.welcome();
    assert.deepEqual(script.socket.protocols, ['confab.v1', 'bearer.abc.def']);
  });

  test('is asked for once and used for each socket, until one does not open with it a minute later', async () => {
    let tokens = 0;
    const client = script.client({ token: async () => `t${++tokens}` });
    client.join('lobby');
    await script.welcome();
    await script.time.pass(20_000);
    for (const wanted of ['t1', 't1']) {
      await script.socket.end(1006);
      await script.time.pass(2000);
      assert.equal(script.socket.protocols[1], `bearer.${wanted}`);
    }
    await script.welcome();
    await script.time.pass(24_000);
    await script.socket.say({ type: 'STORED', roomId: 'lobby', position: '1' });
    await script.time.pass(24_000);
    // An hour asleep, say; now the server does not let us in.
    await script.socket.end(1006);
    await script.time.pass(1000);
    assert.equal(script.socket.protocols[1], 'bearer.t1');
    await script.socket.end(1006);
    await script.time.pass(2000);
    assert.equal(script.socket.protocols[1], 'bearer.t2');
    await script.socket.end(1006);
    await script.time.pass(4000);
    assert.equal(script.socket.protocols[1], 'bearer.t2');
  });

  test('that has expired is replaced, and the room resumed at once', async () => {
    let tokens = 0;
    const client = script.client({ token: () => `t${++tokens}` });
    client.join('lobby');
    await script.welcome();
    await script.socket.end(4003, 'token expired');
    await script.time.pass(500);
    assert.equal(script.socket.protocols[1], 'bearer.t2');
    await script.welcome();
    assert.equal(client.state, 'connected');
  });

  test('that cannot be replaced ends the connection', async () => {
    const client = script.client({ token: 'fixed' });
    client.join('lobby');
    await script.welcome();
    await script.socket.end(4003);
    assert.equal(client.state, 'disconnected');
  });

  test('is refreshed in place before it expires', async () => {
    const asked = [];
    const client = script.client({ token: (why) => `t${asked.push(why)}` });
    client.join('lobby');
    const socket = await script.welcome({ expiresAt: script.time.wall + 20_000 });
    await script.time.pass(16_000);
    assert.deepEqual(socket.of('TOKEN'), [{ messageType: 'TOKEN', token: 't2' }]);
    await socket.say({ type: 'TOKEN', expiresAt: script.time.wall + 20_000 });
    await script.time.pass(16_000);
    assert.deepEqual(socket.of('TOKEN').map(({ token }) => token), ['t2', 't3']);
    assert.deepEqual(asked, ['connect', 'refresh', 'refresh']);
    assert.equal(script.sockets.length, 1);
  });

  test('is not refreshed without end by a client whose clock is wrong', async () => {
    let tokens = 0;
    const client = script.client({ token: () => `t${++tokens}` });
    client.join('lobby');
    script.time.jump(86_400_000);
    const socket = await script.welcome({ expiresAt: script.time.wall - 86_000_000 });
    socket.hear = ({ messageType }) =>
      messageType === 'TOKEN' && socket.say({ type: 'TOKEN', expiresAt: script.time.wall - 86_000_000 });
    await script.time.pass(24_000);
    assert.equal(tokens, 3);
  });

  test('that lasts very long does not overflow the timer', async () => {
    let tokens = 0;
    script.client({ token: () => `t${++tokens}` }).join('lobby');
    await script.welcome({ expiresAt: script.time.wall + 86_400_000 * 365 });
    await script.time.pass(20_000);
    assert.equal(tokens, 1);
  });

  test('function that fails may end the client', async () => {
    const client = script.client({ token: () => Promise.reject(new Error('nobody is logged in')) });
    client.on('error', () => client.close());
    client.join('lobby');
    await script.time.pass(60_000);
    assert.equal(client.state, 'disconnected');
    assert.equal(script.sockets.length, 0);
  });

  test('function that fails is told, and asked again', async () => {
    let asked = 0;
    const client = script.client({
      token: async () => {
        if (++asked < 3) throw new Error('the issuer is away');
        return 'late';
      },
    });
    const errors = recorded(client, 'error');
    client.join('lobby');
    await script.time.pass(10_000);
    assert.deepEqual(errors.map(([, { code, retryable }]) => [code, retryable]), [['TOKEN', true], ['TOKEN', true]]);
    await script.welcome();
    assert.equal(client.state, 'connected');
    assert.equal(script.sockets.length, 1);
  });

  test('function that never answers is given up after 10 s, told, and asked again', async () => {
    const asked = [];
    const client = script.client({ token: (why) => (asked.push(why) < 3 ? new Promise(() => {}) : 'late') });
    const errors = recorded(client, 'error');
    const states = recorded(client, 'state');
    client.join('lobby');
    await script.time.pass(9_999);
    assert.deepEqual([asked.length, errors.length], [1, 0]);
    await script.time.pass(1);
    assert.deepEqual(errors.map(([, { code, retryable }]) => [code, retryable]), [['TOKEN', true]]);
    assert.ok(states.at(-1)[1].retryAt > script.time.wall);
    await script.time.pass(30_000);
    assert.deepEqual(asked, ['connect', 'connect', 'connect']);
    await script.welcome();
    assert.equal(client.state, 'connected');
    assert.deepEqual([script.socket.protocols[1], errors.length], ['bearer.late', 2]);
  });

  test('that cannot go as a subprotocol is not sent, told, and asked for again', async () => {
    const answers = ['<html>Bad Gateway</html>', 'ends with a line\n', 'good'];
    const client = script.client({ token: () => answers.shift() });
    const errors = recorded(client, 'error');
    client.join('lobby');
    await script.time.pass(10_000);
    assert.deepEqual(errors.map(([, { code, retryable }]) => [code, retryable]), [['TOKEN', true], ['TOKEN', true]]);
    assert.deepEqual(script.sockets.map(({ protocols }) => protocols[1]), ['bearer.good']);
  });

  for (const answer of ['<html>Log in</html>', null]) {
    test(`that is none (${answer}) is not sent to replace the present one, told, and asked for again`, async () => {
      const answers = ['first', answer, 'good'];
      const client = script.client({ token: () => answers.shift() });
      const errors = recorded(client, 'error');
      client.join('lobby');
      const socket = await script.welcome({ expiresAt: script.time.wall + 20_000 });
      await script.time.pass(16_000);
      assert.deepEqual(errors.map(([, { code, retryable }]) => [code, retryable]), [['TOKEN', true]]);
      await script.time.pass(10_000);
      assert.deepEqual(socket.of('TOKEN').map(({ token }) => token), ['good']);
    });
  }

  test('is asked for no more by a client that was closed while it was asked for', async () => {
    const asked = [];
    let fail;
    const client = script.client({ token: (why) => (asked.push(why) === 2 ? new Promise((none, reject) => (fail = reject)) : 'good') });
    client.join('lobby');
    client.join('other');
    const socket = await script.welcome({ expiresAt: script.time.wall + 20_000 });
    await script.time.pass(16_000);
    await socket.say({ ...script.welcomeTo('other'), expiresAt: script.time.wall + 20_000 });
    fail(new Error('the issuer is away'));
    await settled();
    client.close();
    await script.time.pass(60_000);
    assert.deepEqual(asked, ['connect', 'refresh']);
  });

  test('is not asked for when a listener closes the client as it connects', async () => {
    const asked = [];
    const client = script.client({ token: (why) => asked.push(why) && 'good' });
    client.on('state', ({ state }) => state === 'connecting' && client.close());
    client.join('lobby');
    await script.time.pass(60_000);
    assert.deepEqual([asked, client.state], [[], 'disconnected']);
  });

  test('that took long leaves the socket all its time to open', async () => {
    script.client({ token: () => new Promise((resolve) => setTimeout(resolve, 9_000, 'slow')) }).join('lobby');
    await script.time.pass(18_999);
    assert.deepEqual(script.sockets.map(({ isClosed }) => isClosed), [false]);
    await script.time.pass(1);
    assert.ok(script.socket.isClosed);
  });

  test('that comes too late opens no second socket, is used by the next, and replaces none that was asked for later', async () => {
    const answers = [];
    const client = script.client({ token: () => new Promise((resolve) => answers.push(resolve)) });
    client.join('lobby');
    await script.time.pass(10_000);
    answers[0]('first');
    await settled();
    assert.equal(script.sockets.length, 0);
    await script.time.pass(1_000);
    await script.welcome();
    assert.deepEqual([script.socket.protocols[1], answers.length], ['bearer.first', 1]);

    await script.socket.end(4003);
    await script.time.pass(16_000);
    assert.equal(answers.length, 3);
    answers[2]('third');
    await script.welcome();
    answers[1]('second');
    await settled();
    await script.socket.end(1006);
    await script.time.pass(9_000);
    assert.deepEqual(script.sockets.map(({ protocols }) => protocols[1]), ['bearer.first', 'bearer.third', 'bearer.third']);
    assert.equal(client.state, 'connecting');
  });
});

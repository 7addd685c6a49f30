import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ConfabClient, uuidV7 } from '../confab.js';
import { MapStorage, Script, recorded, settled } from './support/scripted.js';

const bob = { userId: '7', username: 'bob' };
/** A UUID for a short name. */
const id = (name) => `00000000-0000-7000-8000-${Buffer.from(name).toString('hex').padStart(12, '0')}`;
const text = (name, message, who = bob) => ({ messageType: 'TEXT', messageId: name.length < 36 ? id(name) : name, ...who, message });

describe('a room', () => {
  let script;
  beforeEach(() => (script = new Script()));
  afterEach(() => script.end());

  /** Asks to be let into two rooms, on a socket that has just opened. */
  async function joining(options) {
    const client = script.client();
    client.join('other');
    const lobby = client.join('lobby', options);
    await settled();
    await script.socket.open();
    return { client, lobby, socket: script.socket };
  }

  test('is joined with history, and resumed behind the last position seen', async () => {
    const room = script.client().join('lobby', { history: 50, stored: true });
    const first = await script.welcome({ members: 3 });
    const [join] = first.of('JOIN');
    assert.deepEqual([join.roomId, join.userId, join.username, join.history, join.stored, join.resume], ['lobby', '42', 'alice42', 50, true, undefined]);
    assert.ok(!Number.isNaN(Date.parse(join.timestamp)));
    assert.equal(room.members, 3);
    assert.equal(room.position, '100');

    await first.say(script.messages('lobby', text('a', 'hi')));
    const { position } = room;
    assert.notEqual(position, '100');
    // The position of an ACK may be an old one, and a GAP is passed by what follows.
    await first.say({ ...script.ack('lobby', id('x')), position: '9' }, { type: 'GAP', roomId: 'lobby', from: position, to: '999' });
    assert.equal(room.position, position);
    await first.end();
    assert.equal(room.joined, false);
    await script.time.pass(1000);
    const second = await script.welcome();
    assert.deepEqual([second.of('JOIN')[0].resume, second.of('JOIN')[0].history], [position, undefined]);
    assert.equal(room.joined, true);
  });

  test('can be resumed from a position of an earlier life, beyond what a number holds', async () => {
    const room = script.client().join('lobby', { resume: '3676616521576450049' });
    const socket = await script.welcome();
    assert.equal(socket.of('JOIN')[0].resume, '3676616521576450049');
    assert.equal(room.position, '3676616521576450049');
  });

  test('tells what is said, who comes and who goes, and what is ours', async () => {
    const room = script.client().join('lobby');
    const events = recorded(room, 'message', 'joined', 'left', 'members');
    const socket = await script.welcome();
    const me = { userId: '42', username: 'alice42' };
    await socket.say(
      script.messages('lobby', { messageType: 'JOIN', messageId: id('j'), ...me }, text('a', 'hi'), { messageType: 'LEAVE', messageId: id('l'), ...bob }),
      { type: 'MEMBERS', roomId: 'lobby', members: 7, joined: [{ userId: '8', username: 'carol' }], left: [], more: true },
    );
    assert.deepEqual(
      events.map(([type, { own, username, text: said, members }]) => [type, own, username, said, members]),
      [
        ['joined', true, 'alice42', undefined, undefined],
        ['message', false, 'bob', 'hi', undefined],
        ['left', false, 'bob', undefined, undefined],
        ['members', undefined, undefined, undefined, 7],
      ],
    );
    assert.equal(room.members, 7);
  });

  test('carries the display name in every frame, and tells that of others', async () => {
    const room = script.client({ displayName: 'Zoë Example' }).join('lobby');
    const events = recorded(room, 'message', 'open');
    const socket = await script.welcome({ you: { userId: '42', username: 'alice42', displayName: 'Zoë Example' } });
    assert.equal(socket.of('JOIN')[0].displayName, 'Zoë Example');
    room.send('hi').catch(() => {});
    await settled();
    assert.equal(socket.of('TEXT')[0].displayName, 'Zoë Example');
    await socket.say(script.messages('lobby', text('a', 'one', { ...bob, displayName: '王小明' }), text('b', 'two')));
    assert.deepEqual(
      events.map(([type, { displayName, you }]) => [type, displayName ?? you.displayName]),
      [['open', 'Zoë Example'], ['message', '王小明'], ['message', 'bob']],
    );
  });

  test('knows what is ours also where only the token says our name', async () => {
    const room = script.client({ username: undefined, token: 'hers' }).join('lobby');
    const events = recorded(room, 'message');
    const socket = await script.welcome();
    await socket.say(script.messages('lobby', text('a', 'from another device', { userId: '42', username: 'alice42' }), text('b', 'hi')));
    assert.deepEqual(events.map(([, { own }]) => own), [true, false]);
  });

  test('drops what it has had: messages by id, a gap by its ends', async () => {
    const room = script.client().join('lobby');
    const events = recorded(room, 'message', 'gap');
    const socket = await script.welcome();
    const frame = script.messages('lobby', text('a', 'one'), text('b', 'two'));
    const gap = { type: 'GAP', roomId: 'lobby', from: '1', to: '2' };
    await socket.say(frame, gap, frame, gap, script.messages('lobby', text('b', 'two'), text('c', 'three')), { ...gap, to: '3' });
    assert.deepEqual(events.map(([type, event]) => event.text ?? `${type} to ${event.to}`), ['one', 'two', 'gap to 2', 'three', 'gap to 3']);
  });

  test('gives the roster in pages, and answers each question with its own page', async () => {
    const room = script.client().join('lobby');
    await assert.rejects(room.roster(), { code: 'NOT_JOINED', retryable: true });
    const socket = await script.welcome();
    const first = room.roster({ limit: 1 });
    const second = room.roster({ after: '7', limit: 1 });
    const third = room.roster({ limit: 500 });
    const fourth = room.roster();
    assert.deepEqual(socket.of('MEMBERS').map(({ after, limit }) => [after, limit]), [[undefined, 1], ['7', 1], [undefined, 500], [undefined, undefined]]);
    await socket.say(
      { type: 'MEMBERS', roomId: 'lobby', members: 2, roster: [bob], next: '7' },
      { type: 'MEMBERS', roomId: 'lobby', members: 2, joined: [], left: [], more: false },
      { type: 'MEMBERS', roomId: 'lobby', members: 2, roster: [], next: null },
      script.error('INVALID', { roomId: 'lobby', messageId: socket.of('MEMBERS')[2].messageId }),
    );
    assert.deepEqual(await first, { members: 2, roster: [bob], next: '7' });
    assert.deepEqual(await second, { members: 2, roster: [], next: null });
    await assert.rejects(third, { code: 'INVALID' });
    await socket.end();
    await assert.rejects(fourth, { code: 'DISCONNECTED', retryable: true });
  });

  test('gives each question its own page also where a refusal overtakes an answer', async () => {
    const room = script.client().join('lobby');
    const socket = await script.welcome();
    const first = room.roster({ limit: 1 });
    const second = room.roster({ after: '7' });
    await socket.say(
      script.error('RATE_LIMITED', { roomId: 'lobby', messageId: socket.of('MEMBERS')[1].messageId, retryable: true, retryAfterMs: 1000 }),
      { type: 'MEMBERS', roomId: 'lobby', members: 2, roster: [bob], next: '7' },
    );
    await assert.rejects(second, { code: 'RATE_LIMITED', retryable: true });
    assert.deepEqual(await first, { members: 2, roster: [bob], next: '7' });
  });

  test('that was left answers no question, and says that it was left', async () => {
    const room = script.client().join('lobby');
    await script.welcome();
    const asked = room.roster();
    room.leave();
    await assert.rejects(asked, { code: 'CLOSED', retryable: false });
    await assert.rejects(room.roster(), { code: 'CLOSED', retryable: false });
  });

  test('that does not let us in is closed, and its messages fail', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const events = recorded(room, 'closed');
    const sent = room.send('hello?');
    await settled();
    await script.socket.open();
    await script.socket.say(script.error('FORBIDDEN', { roomId: 'lobby', errors: ['not you'] }));
    assert.deepEqual(events.map(([, { code, message }]) => [code, message]), [['FORBIDDEN', 'not you']]);
    await assert.rejects(sent, { code: 'FORBIDDEN', retryable: false });
    assert.deepEqual(client.rooms, []);
    assert.equal(client.state, 'disconnected');
  });

  test('that a new token does not allow is closed, and the others stay', async () => {
    const client = script.client();
    const room = client.join('lobby');
    client.join('garden');
    const events = recorded(room, 'closed');
    const socket = await script.welcome();
    await socket.say(script.error('FORBIDDEN', { roomId: 'lobby', messageId: uuidV7() }));
    assert.deepEqual(events, []);
    await socket.say(script.error('FORBIDDEN', { roomId: 'lobby' }));
    assert.deepEqual(events.map(([, { code }]) => code), ['FORBIDDEN']);
    assert.deepEqual(client.rooms.map(({ name }) => name), ['garden']);
    assert.equal(client.state, 'connected');
  });

  test('that cannot let us in for now is asked again after the time it says', async () => {
    const room = script.client().join('lobby');
    const errors = recorded(room, 'error');
    await settled();
    const { socket } = script;
    await socket.open();
    await socket.say(script.error('UNAVAILABLE', { roomId: 'lobby', retryAfterMs: 3000 }));
    await script.time.pass(2999);
    assert.equal(socket.of('JOIN').length, 1);
    await script.time.pass(501);
    assert.equal(socket.of('JOIN').length, 2);
    await socket.say(script.welcomeTo('lobby'));
    assert.ok(room.joined);
    assert.deepEqual(errors.map(([, { code, retryAfterMs }]) => [code, retryAfterMs]), [['UNAVAILABLE', 3000]]);
  });

  test('that we join too fast is asked less and less often, until it lets us in', async () => {
    const client = script.client();
    const room = client.join('lobby');
    await settled();
    const { socket } = script;
    await socket.open();
    const refuse = () => socket.say(script.error('RATE_LIMITED', { roomId: 'lobby', retryAfterMs: 1000 }));
    const joins = () => socket.of('JOIN').length;
    for (const [asked, seconds] of [1, 2, 4, 8, 16, 16].entries()) {
      await refuse();
      await script.time.pass(seconds * 1000 - 1);
      assert.equal(joins(), asked + 1);
      await script.time.pass(seconds * 500 + 1);
      assert.equal(joins(), asked + 2);
    }
    await socket.say(script.welcomeTo('lobby'));
    assert.ok(room.joined);

    await socket.end();
    await script.time.pass(1000);
    await script.socket.open();
    await script.socket.say(script.error('RATE_LIMITED', { roomId: 'lobby', retryAfterMs: 1000 }));
    await script.time.pass(1500);
    assert.equal(script.socket.of('JOIN').length, 2);
  });

  test('begins anew where the server does not mean the same', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const sent = room.send('hi');
    const socket = await script.welcome();
    await socket.say(script.error('NOT_JOINED', { roomId: 'lobby', messageId: socket.of('TEXT')[0].messageId }));
    assert.equal(client.state, 'connecting');
    await script.time.pass(1000);
    const next = await script.welcome();
    await next.say(...script.accept(next.of('TEXT')[0]));
    assert.equal((await sent).messageId, socket.of('TEXT')[0].messageId);
  });

  test('can be left and joined again on one socket: late frames of the first time are not heard', async () => {
    const client = script.client();
    client.join('other');
    const before = client.join('lobby');
    const socket = await script.welcome();
    before.leave();
    const after = client.join('lobby');
    const events = recorded(after, 'message', 'open');
    await socket.say(script.messages('lobby', text('a', 'late')), script.ack('lobby', socket.of('LEAVE')[0].messageId));
    await socket.say(script.error('INVALID', { roomId: 'lobby', messageId: id('x') }));
    await socket.say(script.welcomeTo('lobby'), script.messages('lobby', text('b', 'new')));
    assert.deepEqual(events.map(([type, event]) => event.text ?? type), ['open', 'new']);
  });

  test('that is left before it has let us in is left again when it does', async () => {
    const { client, lobby: room, socket } = await joining();
    const errors = recorded(client, 'error');
    room.leave();
    await socket.say(script.welcomeTo('other'));
    assert.deepEqual(socket.of('LEAVE'), []); // of a JOIN that is refused yet there would be nothing to leave
    await socket.say(script.welcomeTo('lobby'));
    const [{ roomId, messageId, userId, username }] = socket.of('LEAVE');
    assert.deepEqual([roomId, userId, username], ['lobby', '42', 'alice42']);
    await socket.say(script.error('UNAVAILABLE', { roomId: 'lobby', messageId }));
    await script.time.pass(1000);
    assert.equal(socket.of('LEAVE').length, 2);
    await socket.say(script.ack('lobby', socket.of('LEAVE')[1].messageId));
    await script.time.pass(10_000);
    assert.equal(socket.of('LEAVE').length, 2);
    assert.deepEqual(errors, []);
    client.join('lobby');
    assert.deepEqual(socket.of('JOIN').map(({ roomId: asked }) => asked), ['other', 'lobby', 'lobby']);
  });

  test('that is left and joined again before it has let us in is joined once, as asked for last', async () => {
    const { client, lobby: first, socket } = await joining({ history: 50 });
    first.leave();
    client.join('lobby', { history: 10 }).leave();
    const last = client.join('lobby', { resume: '500' });
    const events = recorded(last, 'message', 'open');
    const said = () => socket.received.filter(({ roomId }) => roomId === 'lobby').map(({ messageType, resume, history }) => [messageType, resume ?? history]);
    assert.deepEqual(said(), [['JOIN', 50]]);
    await socket.say(script.welcomeTo('other'), script.welcomeTo('lobby'), script.messages('lobby', text('a', 'not ours')));
    assert.equal(last.joined, false);
    assert.deepEqual(said(), [['JOIN', 50], ['LEAVE', undefined], ['JOIN', '500']]);
    await socket.say(script.ack('lobby', socket.of('LEAVE')[0].messageId));
    await socket.say(script.welcomeTo('lobby', { position: '500' }), script.messages('lobby', text('b', 'ours')));
    assert.deepEqual(events.map(([type, event]) => event.text ?? type), ['open', 'ours']);
    assert.equal(said().length, 3);
    assert.equal(script.sockets.length, 1);
  });

  test('that is left and joined again while it refuses is joined after the refusal', async () => {
    for (const [code, delay] of [['TOO_MANY_ROOMS', 0], ['UNAVAILABLE', 1000]]) {
      const { client, lobby: first, socket } = await joining();
      first.leave();
      const again = client.join('lobby');
      await socket.say(script.welcomeTo('other'), script.error(code, { roomId: 'lobby' }));
      assert.equal(socket.of('JOIN').length, delay > 0 ? 2 : 3);
      await script.time.pass(delay + 500);
      assert.equal(socket.of('JOIN').length, 3);
      await socket.say(script.welcomeTo('lobby'));
      assert.ok(again.joined);
      assert.deepEqual(socket.of('LEAVE'), []);
    }
  });

  test('that is left and joined again while the connection is lost is joined once on the next', async () => {
    const { client, lobby: first } = await joining();
    first.leave();
    const again = client.join('lobby');
    await script.socket.end();
    await script.time.pass(1000);
    const socket = await script.welcome();
    assert.deepEqual(socket.of('JOIN').map(({ roomId }) => roomId), ['other', 'lobby']);
    assert.deepEqual(socket.of('LEAVE'), []);
    assert.ok(again.joined);
  });

  test('that is joined again where a JOIN of before is never answered gives the socket up', async () => {
    const { client, lobby: first, socket } = await joining();
    await socket.say(script.welcomeTo('other'));
    socket.hear = ({ messageType }) => messageType === 'MEMBERS' && socket.say({ type: 'MEMBERS', roomId: 'other', members: 1, roster: [], next: null });
    first.leave();
    client.join('lobby');
    await script.time.pass(39_999);
    assert.equal(client.state, 'connected');
    await script.time.pass(1);
    assert.equal(client.state, 'connecting');
  });

  test('is silent as soon as a listener leaves it', async () => {
    const room = script.client().join('lobby');
    const heard = [];
    room.on('message', (message) => {
      heard.push(message.text);
      room.leave();
    });
    await (await script.welcome()).say(script.messages('lobby', text('a', 'one'), text('b', 'two')));
    assert.deepEqual(heard, ['one']);
  });

  test('that could not be left for now is left again, under a new id', async () => {
    const client = script.client();
    client.join('other');
    const room = client.join('lobby');
    const socket = await script.welcome();
    room.leave();
    const [{ messageId }] = socket.of('LEAVE');
    await socket.say(script.error('UNAVAILABLE', { roomId: 'lobby', messageId }));
    await script.time.pass(1000);
    assert.equal(socket.of('LEAVE').length, 2);
    assert.notEqual(socket.of('LEAVE')[1].messageId, messageId);
  });

  test('has a name that fits the address', () => {
    const client = script.client();
    for (const name of ['', 'a b', '../x', 'x'.repeat(65), 'ü']) assert.throws(() => client.join(name), TypeError);
    client.join('x'.repeat(64));
  });
});

describe('a room that is joined twice', () => {
  let script;
  beforeEach(() => (script = new Script()));
  afterEach(() => script.end());

  test('is one membership: both hear it, and it is left with the last', async () => {
    const client = script.client();
    client.join('other');
    const first = client.join('lobby');
    const second = client.join('lobby');
    assert.notEqual(first, second);
    const events = [recorded(first, 'open', 'message', 'closed'), recorded(second, 'open', 'message', 'closed')];
    const socket = await script.welcome();
    assert.equal(socket.of('JOIN').length, 2);
    assert.deepEqual(client.rooms.map(({ name }) => name), ['other', 'lobby']);

    await socket.say(script.messages('lobby', text('a', 'both')));
    first.leave();
    first.leave();
    assert.deepEqual([first.joined, second.joined], [false, true]);
    assert.deepEqual(socket.of('LEAVE'), []);
    await assert.rejects(first.send('gone'), { code: 'CLOSED' });
    await assert.rejects(first.roster(), { code: 'CLOSED' });
    await socket.say(script.messages('lobby', text('b', 'one')));
    second.leave();
    assert.equal(socket.of('LEAVE').length, 1);
    const seen = events.map((of) => of.map(([type, event]) => event.text ?? event.code ?? type));
    assert.deepEqual(seen, [['open', 'both', 'CLOSED'], ['open', 'both', 'one', 'CLOSED']]);
  });

  test('is open at once for the second, where it is, and hears nothing twice', async () => {
    const client = script.client();
    const first = client.join('lobby', { history: 50 });
    const socket = await script.welcome({ members: 3 });
    await socket.say(script.messages('lobby', text('a', 'before')));
    const second = client.join('lobby', { history: 50 });
    const events = recorded(second, 'open', 'message');
    await settled();
    assert.deepEqual(events.map(([type, { members, position }]) => [type, members, position]), [['open', 3, first.position]]);
    await socket.say(script.messages('lobby', text('b', 'after')));
    assert.deepEqual(events.map(([type, event]) => event.text ?? type), ['open', 'after']);
  });

  test('sends what either writes once, and what the one that left has written, too', async () => {
    const client = script.client();
    const first = client.join('lobby');
    const second = client.join('lobby');
    const sent = [first.send('one'), second.send('two')];
    first.leave();
    const socket = await script.welcome();
    for (const index of [0, 1]) await socket.say(...script.accept(socket.of('TEXT')[index]));
    assert.equal((await Promise.all(sent)).length, 2);
    assert.deepEqual(socket.of('TEXT').map(({ message }) => message), ['one', 'two']);
  });

  test('says so where the second wants what the first did not', () => {
    const client = script.client();
    const first = client.join('lobby');
    assert.throws(() => client.join('lobby', { stored: true }), { code: 'ALREADY_JOINED', message: /stored/ });
    assert.equal(client.rooms[0], first);
  });

  test('mounted, unmounted and mounted again, as React does, is one session over one socket', async () => {
    const client = script.client();
    const mount = () => {
      const room = client.join('lobby', { history: 50 });
      const heard = recorded(room, 'message');
      return { heard, unmount: () => room.leave() };
    };
    mount().unmount();
    const { heard, unmount } = mount();
    const socket = await script.welcome();
    assert.equal(script.sockets.length, 1);
    assert.equal(socket.of('JOIN').length, 1);
    await socket.say(script.messages('lobby', text('a', 'hi')));
    assert.equal(heard.length, 1);
    unmount();
    assert.equal(client.state, 'disconnected');
  });
});

describe('who is in a room', () => {
  let script;
  let clock = 0;
  beforeEach(() => (script = new Script()));
  afterEach(() => script.end());

  const came = (who = bob) => ({ messageType: 'JOIN', messageId: id(`c${clock++}`), ...who });
  const went = (who = bob) => ({ messageType: 'LEAVE', messageId: id(`c${clock++}`), ...who });
  const members = (joined = [], left = []) => ({ type: 'MEMBERS', roomId: 'lobby', members: 2, joined, left, more: false });
  const lines = (events) => events.map(([type, event]) => `${event.username ?? event.joined.map(({ username }) => username)} ${type}`);

  async function lobby(options) {
    const room = script.client().join('lobby', options);
    const socket = await script.welcome();
    return { room, events: recorded(room, 'joined', 'left', 'members'), say: (...frames) => socket.say(...frames), socket };
  }

  test('is told by people, not by sessions: a second one neither comes nor goes', async () => {
    const { events, say } = await lobby();
    await say(script.messages('lobby', came()), script.messages('lobby', came()));
    await say(script.messages('lobby', went()), members([bob]));
    await script.time.pass(10_000);
    assert.deepEqual(lines(events), ['bob joined', ' members']);
    await say(script.messages('lobby', went()));
    await script.time.pass(3000);
    assert.deepEqual(lines(events), ['bob joined', ' members', 'bob left']);
  });

  test('knows whom the roster has told', async () => {
    const { room, events, say } = await lobby();
    const asked = room.roster();
    await say({ type: 'MEMBERS', roomId: 'lobby', members: 2, roster: [bob], next: null });
    await asked;
    await say(script.messages('lobby', came()), script.messages('lobby', went()), members([bob]));
    await script.time.pass(10_000);
    assert.deepEqual(lines(events), [' members']);
  });

  test('keeps whoever is back within three seconds, as after a reload', async () => {
    const { events, say } = await lobby();
    await say(script.messages('lobby', came()), script.messages('lobby', went()));
    await script.time.pass(2999);
    await say(script.messages('lobby', came()));
    await script.time.pass(10_000);
    assert.deepEqual(lines(events), ['bob joined']);
  });

  test('has lost whoever left, when the server has had its say or the connection is lost', async () => {
    const carol = { userId: '8', username: 'carol' };
    const { events, say, socket } = await lobby();
    await say(script.messages('lobby', came(), came(carol), went()), members());
    assert.deepEqual(lines(events), ['bob joined', 'carol joined', 'bob left', ' members']);
    await say(script.messages('lobby', went(carol)));
    await socket.end();
    assert.deepEqual(lines(events).slice(4), ['carol left']);
  });

  test('of the past is counted, in its place', async () => {
    const { room, say, events } = await lobby({ history: 50 });
    const texts = recorded(room, 'message');
    room.on('message', (message) => events.push(['said', message]));
    await say(script.messages('lobby', came(), came(), went(), text('a', 'hi'), went(), text('b', 'bye')), members());
    assert.equal(texts.length, 2);
    assert.deepEqual(lines(events), ['bob joined', 'bob said', 'bob left', 'bob said', ' members']);
  });

  for (const cause of ['a MEMBERS frame', 'a lost connection']) {
    test(`a listener can leave the room when ${cause} reports two departures`, async () => {
      const carol = { userId: '8', username: 'carol' };
      const client = script.client();
      const other = client.join('other');
      const room = client.join('lobby');
      const socket = await script.welcome();
      const events = recorded(room, 'left', 'members', 'closed');
      room.on('left', () => room.leave());
      await socket.say(script.messages('lobby', came(), came(carol), went(), went(carol)));
      if (cause === 'a MEMBERS frame') {
        await socket.say(members());
      } else {
        await socket.end();
        await script.time.pass(1000);
        await script.welcome();
      }
      assert.deepEqual(events.map(([type, { username }]) => [type, username]), [['left', 'bob'], ['closed', undefined]]);
      assert.ok(other.joined);
      assert.equal(client.state, 'connected');
    });
  }

  test('that has left tells nobody afterwards', async () => {
    const { room, events, say } = await lobby();
    await say(script.messages('lobby', came(), went()));
    room.leave();
    await script.time.pass(10_000);
    assert.deepEqual(lines(events), ['bob joined']);
  });
});

describe('a message', () => {
  let script;
  let storage;
  beforeEach(() => {
    script = new Script();
    storage = new MapStorage();
  });
  afterEach(() => script.end());

  test('is accepted with the position of its ACK', async () => {
    const room = script.client().join('lobby');
    const events = recorded(room, 'queued', 'message', 'accepted');
    const socket = await script.welcome();
    const sent = room.send('hi');
    const [frame] = socket.of('TEXT');
    assert.equal(frame.message, 'hi');
    await socket.say({ ...script.messages('lobby', text(frame.messageId, 'hi', { userId: '42', username: 'alice42' }), text('b', 'later')), position: '500' });
    assert.equal(room.pending.length, 1);
    await socket.say({ ...script.ack('lobby', frame.messageId), position: '499' });
    assert.deepEqual(await sent, { messageId: frame.messageId, position: '499' });
    assert.deepEqual(room.pending, []);
    assert.deepEqual(events.map(([type]) => type), ['queued', 'message', 'message', 'accepted']);
    assert.equal(events[1][1].own, true);
  });

  test('keeps its id over a lost connection, and the order of all is kept', async () => {
    const room = script.client().join('lobby');
    const socket = await script.welcome();
    const all = ['one', 'two', 'three'].map((word) => room.send(word));
    assert.deepEqual(socket.of('TEXT').map(({ message }) => message), ['one']);
    await socket.end();
    await script.time.pass(1000);
    const next = await script.welcome();
    next.hear = (frame) => frame.messageType === 'TEXT' && next.say(...script.accept(frame));
    await next.say(...script.accept(next.of('TEXT')[0]));
    const ids = (await Promise.all(all)).map(({ messageId }) => messageId);
    assert.deepEqual(next.of('TEXT').map(({ message }) => message), ['one', 'two', 'three']);
    assert.deepEqual(next.of('TEXT').map(({ messageId }) => messageId), ids);
    assert.equal(ids[0], socket.of('TEXT')[0].messageId);
  });

  test('that was read in the room is not sent again, even if its ACK was lost', async () => {
    const room = script.client().join('lobby');
    const socket = await script.welcome();
    const sent = room.send('hi');
    const [frame] = socket.of('TEXT');
    await socket.say(script.accept(frame)[0]);
    const { position } = room;
    await socket.end();
    await script.time.pass(1000);
    const next = await script.welcome();
    assert.deepEqual(await sent, { messageId: frame.messageId, position });
    assert.deepEqual(next.of('TEXT'), []);
  });

  test('that is refused for good rejects with what the server says, and the next goes on', async () => {
    const room = script.client().join('lobby');
    const events = recorded(room, 'failed', 'accepted');
    const socket = await script.welcome();
    const bad = room.send('bad');
    const good = room.send('good');
    await socket.say(script.error('INVALID', { roomId: 'lobby', messageId: socket.of('TEXT')[0].messageId, errors: ['one', 'two'] }));
    await assert.rejects(bad, { name: 'ConfabError', code: 'INVALID', message: 'one; two', retryable: false, retryAfterMs: null });
    await socket.say(...script.accept(socket.of('TEXT')[1]));
    await good;
    assert.deepEqual(events.map(([type, event]) => [type, event.text]), [['failed', 'bad'], ['accepted', undefined]]);
  });

  test('that may not be said fails with all behind it: a hundred such refusals would end the session', async () => {
    const client = script.client();
    const room = client.join('lobby');
    const failed = recorded(room, 'failed');
    const socket = await script.welcome();
    for (let i = 0; i < 150; i++) room.send(`${i}`);
    await socket.say(script.error('FORBIDDEN', { roomId: 'lobby', messageId: socket.of('TEXT')[0].messageId }));
    assert.deepEqual([socket.of('TEXT').length, failed.length, room.pending.length], [1, 150, 0]);
    assert.deepEqual([...new Set(failed.map(([, { error }]) => error.code))], ['FORBIDDEN']);
    assert.equal(client.state, 'connected');
  });

  for (const code of ['UNAVAILABLE', 'RATE_LIMITED']) {
    test(`that is refused for now (${code}) is sent again after the time the server says, before any other`, async () => {
      const room = script.client().join('lobby');
      const socket = await script.welcome();
      const first = room.send('one');
      await socket.say(script.error(code, { roomId: 'lobby', messageId: socket.of('TEXT')[0].messageId, retryAfterMs: 5000 }));
      room.send('two');
      await script.time.pass(4999);
      assert.equal(socket.of('TEXT').length, 1);
      await script.time.pass(1251);
      assert.deepEqual(socket.of('TEXT').map(({ message }) => message), ['one', 'one']);
      await socket.say(...script.accept(socket.of('TEXT')[1]));
      assert.equal((await first).messageId, socket.of('TEXT')[0].messageId);
      assert.equal(socket.of('TEXT')[2].message, 'two');
    });
  }

  test('fails when refusals for now do not end, and all behind it', async () => {
    const room = script.client({ patienceMs: 10_000 }).join('lobby');
    const socket = await script.welcome();
    const all = ['one', 'two'].map((word) => room.send(word));
    socket.hear = ({ messageId, messageType }) =>
      messageType === 'TEXT' && socket.say(script.error('UNAVAILABLE', { roomId: 'lobby', messageId, retryAfterMs: 2000 }));
    await socket.say(script.error('UNAVAILABLE', { roomId: 'lobby', messageId: socket.of('TEXT')[0].messageId, retryAfterMs: 2000 }));
    await script.time.pass(15_000);
    for (const sent of all) await assert.rejects(sent, { code: 'UNAVAILABLE', retryable: true, retryAfterMs: 2000 });
    assert.deepEqual(room.pending, []);
  });

  for (const [end, code] of [['refusals did not end', 'UNAVAILABLE'], ['it was refused for good', 'INVALID']]) {
    test(`that failed since ${end} leaves all their patience to those after it`, async () => {
      const room = script.client({ patienceMs: 10_000 }).join('lobby');
      const socket = await script.welcome();
      const refuse = (why) => socket.say(script.error(why, { roomId: 'lobby', messageId: socket.of('TEXT').at(-1).messageId }));
      const failed = room.send('one');
      await refuse('UNAVAILABLE');
      await script.time.pass(10_000);
      await refuse(code);
      await assert.rejects(failed, { code });
      const sent = room.send('two');
      await refuse('UNAVAILABLE');
      await script.time.pass(9_999);
      await refuse('UNAVAILABLE');
      await script.time.pass(1250);
      await socket.say(...script.accept(socket.of('TEXT').at(-1)));
      await sent;
    });
  }

  for (const [code, waiting] of [['INVALID', 0], ['accepted', 1]]) {
    test(`is tried ${waiting ? 'longer' : 'no longer'} where the one behind it is answered with ${code} meanwhile`, async () => {
      const room = script.client({ patienceMs: 10_000, window: 2 }).join('lobby');
      const socket = await script.welcome();
      const refusal = (why, { messageId }) => script.error(why, { roomId: 'lobby', messageId });
      room.send('one');
      room.send('two');
      const [one, two] = socket.of('TEXT');
      await socket.say(refusal('UNAVAILABLE', one));
      await script.time.pass(5_000);
      await socket.say(waiting ? script.ack('lobby', two.messageId) : refusal(code, two));
      await script.time.pass(5_000);
      await socket.say(refusal('UNAVAILABLE', one));
      assert.equal(room.pending.length, waiting);
    });
  }

  test('stays in the storage when a listener leaves the room as the one before it fails', async () => {
    const client = script.client({ storage });
    client.join('other');
    const room = client.join('lobby');
    const failed = recorded(room, 'failed');
    room.on('failed', () => room.leave());
    const socket = await script.welcome();
    room.send('one');
    const two = room.send('two');
    await socket.say(script.error('FORBIDDEN', { roomId: 'lobby', messageId: socket.of('TEXT')[0].messageId }));
    await assert.rejects(two, { code: 'CLOSED' });
    assert.deepEqual(failed.map(([, event]) => event.text), ['one']);
    assert.deepEqual(client.join('lobby').pending.map((entry) => entry.text), ['two']);
  });

  test('that is under way ends no connection after a listener has left its room', async () => {
    const client = script.client({ window: 2 });
    client.join('other');
    const room = client.join('lobby');
    room.on('failed', () => room.leave());
    room.send('under way');
    room.send('x'.repeat(501));
    await settled();
    script.socket.hear = ({ messageType }) =>
      messageType === 'MEMBERS' && script.socket.say({ type: 'MEMBERS', roomId: 'other', members: 1, roster: [], next: null });
    await script.welcome();
    assert.deepEqual(client.rooms.map(({ name }) => name), ['other']);
    await script.time.pass(60_000);
    assert.equal(client.state, 'connected');
    assert.equal(script.sockets.length, 1);
  });

  test('is not taken to be under way when a listener of `open` connects anew', async () => {
    const client = script.client();
    const room = client.join('lobby');
    room.send('hi');
    const off = room.on('open', () => {
      off();
      client.connect();
    });
    const first = await script.welcome();
    assert.deepEqual(first.of('TEXT'), []);
    const next = script.socket;
    await next.open();
    await script.time.pass(35_000);
    await next.say(script.welcomeTo('lobby'));
    await script.time.pass(6_000);
    assert.equal(next.isClosed, false);
    await next.say(...script.accept(next.of('TEXT')[0]));
    assert.deepEqual(room.pending, []);
  });

  test('that waited for too long is told after the next join when its room was left at once', async () => {
    script.client({ storage }).join('lobby').send('yesterday');
    script.time.jump(86_400_001);
    const client = script.client({ storage });
    client.join('lobby').leave();
    await settled();
    const failed = recorded(client.join('lobby'), 'failed');
    await settled();
    assert.deepEqual(failed.map(([, { text: old, error }]) => [old, error.code]), [['yesterday', 'EXPIRED']]);
    assert.equal(storage.length, 0);
  });

  test('may be sent again by hand under its id', async () => {
    const room = script.client().join('lobby');
    const socket = await script.welcome();
    const messageId = uuidV7();
    room.send('again', { messageId });
    await assert.rejects(room.send('again', { messageId }), TypeError);
    assert.equal(socket.of('TEXT')[0].messageId, messageId);
  });

  test('may be given its id in upper case: it has the lower case in which the server answers', async () => {
    const room = script.client({ storage }).join('lobby');
    const socket = await script.welcome();
    const messageId = uuidV7();
    const sent = room.send('hi', { messageId: messageId.toUpperCase() });
    assert.equal(storage.key(0), `confab confab.test 42 lobby ${messageId}`);
    await assert.rejects(room.send('hi', { messageId }), TypeError);
    await socket.say(...script.accept({ ...socket.of('TEXT')[0], messageId }));
    assert.equal((await sent).messageId, messageId);
    assert.deepEqual(room.pending, []);
    assert.equal(storage.length, 0);
  });

  test('is not taken under an id that is no UUID of 36 characters', async () => {
    const room = script.client({ storage }).join('lobby');
    const socket = await script.welcome();
    for (const messageId of ['', '42', 42, {}, id('1').replaceAll('-', ''), `{${id('1')}}`, `${id('1')}\n`, id('1').replace('7', 'g')]) {
      await assert.rejects(room.send('hi', { messageId }), { name: 'TypeError', message: /UUID of 36 characters/ });
    }
    assert.deepEqual([room.pending, socket.of('TEXT'), storage.length], [[], [], 0]);
  });

  test('that is too long for the server fails without being sent', async () => {
    const room = script.client().join('lobby');
    const long = room.send('x'.repeat(501));
    const emoji = room.send('\u{1F600}'.repeat(500));
    const socket = await script.welcome();
    await assert.rejects(long, { code: 'INVALID' });
    assert.equal(socket.of('TEXT').length, 1);
    await socket.say(...script.accept(socket.of('TEXT')[0]));
    await emoji;
    for (const wrong of ['', undefined, 5]) await assert.rejects(room.send(wrong), TypeError);
  });

  test('resolves when its acceptance is heard of behind its storing', async () => {
    const room = script.client().join('lobby', { stored: true });
    const first = await script.welcome();
    const results = [];
    room.send('hi', { until: 'stored' }).then((sent) => results.push(sent));
    await first.end();
    await script.time.pass(1000);
    const socket = await script.welcome();
    const answers = script.accept(socket.of('TEXT')[0]);
    await socket.say({ type: 'STORED', roomId: 'lobby', position: '9007199254740999' });
    assert.deepEqual(results, []);
    await socket.say(...answers);
    assert.equal(results.length, 1);
  });

  test('rejects when accepted and not stored, whatever is heard first', async () => {
    const room = script.client().join('lobby', { stored: true });
    const first = await script.welcome();
    const errors = [];
    const events = [];
    room.on('stored', (event) => events.push(event));
    const send = (text) => room.send(text, { until: 'stored' }).catch((error) => errors.push([text, error.code, error.retryable]));
    send('one');
    const [one] = first.of('TEXT');
    await first.say(...script.accept(one));
    await first.say({ type: 'STORED', roomId: 'lobby', position: room.position, notStored: [one.messageId] });
    assert.deepEqual(errors, [['one', 'NOT_STORED', false]]);
    assert.deepEqual(events, [{ position: room.position, notStored: [one.messageId] }]);
    send('two');
    const two = first.of('TEXT')[1];
    await first.end();
    await script.time.pass(1000);
    const socket = await script.welcome();
    const answers = script.accept(two);
    await socket.say({ type: 'STORED', roomId: 'lobby', position: '9007199254740999', notStored: [two.messageId, one.messageId] });
    await socket.say(...answers);
    assert.deepEqual(errors[1], ['two', 'NOT_STORED', false]);
    const plain = room.send('three');
    const three = socket.of('TEXT').at(-1);
    await socket.say(...script.accept(three));
    await plain;
  });

  test("another's message under the id of one that waits is neither dropped nor taken for it", async () => {
    const room = script.client().join('lobby');
    const socket = await script.welcome();
    const heard = [];
    room.on('message', ({ userId, text, own }) => heard.push([userId, text, own]));
    let sent = null;
    room.send('mine').then((result) => (sent = result));
    const [frame] = socket.of('TEXT');
    const foreign = { messageType: 'TEXT', messageId: frame.messageId, userId: '666', username: 'mallory', message: 'copied', timestamp: 1 };
    await socket.say({ type: 'MESSAGES', roomId: 'lobby', position: '9007199254740990', messages: [foreign] });
    await socket.end();
    await script.time.pass(1000);
    const again = await script.welcome();
    assert.equal(sent, null);
    assert.equal(again.of('TEXT')[0].messageId, frame.messageId);
    await again.say(...script.accept(again.of('TEXT')[0]));
    assert.equal(sent.messageId, frame.messageId);
    assert.deepEqual(heard, [['666', 'copied', false], ['42', 'mine', true]]);
  });

  test('resolves when stored, on wish', async () => {
    const room = script.client().join('lobby', { stored: true });
    const socket = await script.welcome();
    const results = [];
    room.send('hi', { until: 'stored' }).then((sent) => results.push(sent));
    const [frame] = socket.of('TEXT');
    await socket.say(...script.accept(frame));
    const { position } = room;
    await socket.say({ type: 'STORED', roomId: 'lobby', position: '99' });
    assert.deepEqual(results, []);
    await socket.end();
    await script.time.pass(1000);
    await (await script.welcome()).say({ type: 'STORED', roomId: 'lobby', position });
    assert.deepEqual(results, [{ messageId: frame.messageId, position }]);
    await assert.rejects(script.client().join('lobby').send('hi', { until: 'stored' }), TypeError);
  });

  test('finds no place where too many wait', async () => {
    const room = script.client({ queueLimit: 2 }).join('lobby');
    room.send('one');
    room.send('two');
    await assert.rejects(room.send('three'), { code: 'QUEUE_FULL', retryable: true });
    assert.equal(room.pending.length, 2);
  });

  test('waits over a reload, in order, and is sent under its id', async () => {
    const before = script.client({ storage });
    const room = before.join('lobby');
    const ids = [];
    room.on('queued', ({ messageId, kept }) => ids.push([messageId, kept]));
    for (let i = 0; i < 20; i++) room.send(`${i}`);
    assert.equal(storage.length, 20);
    before.close();
    assert.equal(storage.length, 20);

    script.client({ storage, userId: '43' }).join('lobby');
    script.client({ storage }).join('other');
    const again = script.client({ storage }).join('lobby');
    assert.deepEqual(again.pending.map(({ text: waiting }) => waiting), Array.from({ length: 20 }, (none, i) => `${i}`));
    const accepted = recorded(again, 'accepted');
    const socket = await script.welcome();
    socket.hear = (frame) => frame.messageType === 'TEXT' && socket.say(...script.accept(frame));
    await socket.say(...script.accept(socket.of('TEXT')[0]));
    await settled();
    assert.deepEqual(accepted.map(([, { messageId }]) => [messageId, true]), ids);
    assert.equal(storage.length, 0);
  });

  test('waits over a reload in the order in which it was written, whatever ids it was given', async () => {
    const before = script.client({ storage });
    const room = before.join('lobby');
    room.send('first');
    await script.time.pass(1);
    room.send('second', { messageId: id('old') });
    before.close();
    const again = script.client({ storage }).join('lobby');
    assert.deepEqual(again.pending.map(({ text: waiting }) => waiting), ['first', 'second']);
  });

  test('waits for the platform that it was written to, not for another one on the same host', async () => {
    script.client({ storage }, 'https://confab.test/staging').join('lobby').send('for staging');
    assert.deepEqual(script.client({ storage }, 'https://confab.test/prod').join('lobby').pending, []);
    assert.equal(script.client({ storage }, 'https://confab.test/staging/').join('lobby').pending.length, 1);
  });

  test('is kept for nobody where only a token says whose it is', async () => {
    script.client({ storage, userId: undefined, token: 'hers' }).join('lobby').send('mine alone');
    assert.equal(storage.length, 0);
    const next = script.client({ storage, userId: undefined, token: 'his' }).join('lobby');
    assert.deepEqual(next.pending, []);
  });

  test('that waited for too long is not sent unasked', async () => {
    script.client({ storage }).join('lobby').send('yesterday');
    script.time.jump(86_400_001);
    const room = script.client({ storage }).join('lobby');
    const failed = recorded(room, 'failed');
    const socket = await script.welcome();
    assert.deepEqual(failed.map(([, { text: old, error }]) => [old, error.code]), [['yesterday', 'EXPIRED']]);
    assert.deepEqual(socket.of('TEXT'), []);
    assert.equal(storage.length, 0);
  });

  test('is sent also where nothing can be kept, and damaged entries do no harm', async () => {
    const full = new MapStorage();
    full.setItem = () => {
      throw new Error('QuotaExceededError');
    };
    const room = script.client({ storage: full }).join('lobby');
    const queued = recorded(room, 'queued');
    room.send('hi');
    assert.equal(queued[0][1].kept, false);
    await script.welcome();
    assert.equal(script.socket.of('TEXT').length, 1);

    const whole = '{"text":"whole","writtenAt":1795222910000}';
    storage.setItem('something else', '{}');
    storage.setItem(`confab confab.test 42 lobby ${id('1')}`, whole);
    const wrong = ['{', 'null', '{}', '5', '[]', '"text"', '{"text":1,"writtenAt":1}', '{"text":"","writtenAt":1}', '{"text":"timeless"}', '{"text":"timeless","writtenAt":"1"}'];
    wrong.forEach((entry, i) => storage.setItem(`confab confab.test 42 lobby ${id(`0${i}`)}`, entry));
    for (const noId of ['', '0', 'x'.repeat(36), uuidV7().toUpperCase()]) storage.setItem(`confab confab.test 42 lobby ${noId}`, whole);
    const again = script.client({ storage }).join('lobby');
    assert.deepEqual(again.pending.map((entry) => entry.text), ['whole']);
    const failed = recorded(again, 'failed');
    const socket = await script.welcome();
    assert.deepEqual(socket.of('TEXT').map(({ message }) => message), ['whole']);
    assert.deepEqual(failed, []);
    assert.deepEqual(Array.from({ length: storage.length }, (none, i) => storage.key(i)), ['something else', `confab confab.test 42 lobby ${id('1')}`]);
  });

  test('goes with others where a window allows it; after a refusal they are sent again in order', async () => {
    const room = script.client({ window: 3 }).join('lobby');
    const socket = await script.welcome();
    const all = ['a', 'b', 'c', 'd'].map((word) => room.send(word));
    const said = () => socket.of('TEXT').map(({ message }) => message).join('');
    assert.equal(said(), 'abc');
    const [a, b, c] = socket.of('TEXT');
    await socket.say(script.ack('lobby', a.messageId));
    assert.equal(said(), 'abcd');
    await socket.say(script.error('UNAVAILABLE', { roomId: 'lobby', messageId: b.messageId }), script.ack('lobby', c.messageId));
    await script.time.pass(1250);
    assert.equal(said(), 'abcdbd');
    await socket.say(script.ack('lobby', b.messageId, socket.of('TEXT').at(-1).messageId));
    await Promise.all(all);
  });

  test('has an id of its own that sorts as it was made, whatever the clock does', () => {
    script.time.jump(3_600_000); // beyond the ids of other tests
    const ids = Array.from({ length: 10_000 }, () => uuidV7());
    script.time.jump(-30_000);
    ids.push(uuidV7());
    assert.deepEqual(ids, [...ids].sort());
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    script.time.jump(-86_400_000);
    assert.ok(uuidV7() < ids[0]);
  });
});

test('an address may be of the page, with a path', async () => {
  const urls = [];
  class Socket {
    constructor(url) {
      urls.push(url);
    }
    close() {}
  }
  for (const url of ['https://a.example/chat?x=1#y', 'http://a.example', new URL('wss://a.example/p/')]) {
    const client = new ConfabClient(url, { WebSocket: Socket });
    client.join('lobby');
    await settled();
    client.close();
  }
  assert.deepEqual(urls, ['wss://a.example/chat/chat/lobby', 'ws://a.example/chat/lobby', 'wss://a.example/p/chat/lobby']);
});

// Compiled, not run: what a program in TypeScript may and may not write.
import { ConfabClient, ConfabError, uuidV7, type Message, type Room, type Sent, type State } from '../confab.js';

const client = new ConfabClient('wss://chat.example', {
  userId: '42',
  username: 'alice42',
  token: async (why) => (why === 'refresh' ? 'new' : 'first'),
  storage: typeof localStorage === 'undefined' ? null : localStorage,
  WebSocket: globalThis.WebSocket,
});
client.on('state', ({ state, retryAt }) => {
  const known: State = state;
  const when: number | null = retryAt;
  return [known, when];
});

const room: Room = client.join('lobby', { history: 50, stored: true });
const off: () => void = room.on('message', (message: Message) => message.text.trim());
room.on('gap', ({ from, to }) => [from, to]);
room.on('members', ({ joined, more }) => (more ? joined[0]?.userId : undefined));
room.on('failed', ({ error, text }) => (error.retryable ? room.send(text, { messageId: uuidV7() }) : undefined));
const sent: Promise<Sent> = room.send('hi', { until: 'stored' });
sent.then(({ messageId, position }) => messageId + position).catch((error: unknown) => error instanceof ConfabError && error.code);
off();

// @ts-expect-error there is no such event
room.on('messages', () => {});
// @ts-expect-error a position is a string
client.join('lobby', { resume: 5 });
// @ts-expect-error nothing else can be waited for
room.send('hi', { until: 'read' });

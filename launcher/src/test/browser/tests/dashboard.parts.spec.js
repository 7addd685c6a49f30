import { expect, test } from '@playwright/test';
import { rangeOf, readView, timesOf, writeView } from '../../../../../persistence-consumer/src/main/resources/dashboard/address.js';
import { Feed } from '../../../../../persistence-consumer/src/main/resources/dashboard/feed.js';
import { age, bytes, count, millis, rate, short, step, words } from '../../../../../persistence-consumer/src/main/resources/dashboard/format.js';
import { Problem, Rest } from '../../../../../persistence-consumer/src/main/resources/dashboard/rest.js';
import {
  Recent,
  bucketsFor,
  columns,
  lately,
  level,
  most,
  summary,
  total,
} from '../../../../../persistence-consumer/src/main/resources/dashboard/series.js';

/** The parts of the dashboard that need no page. */

test.describe('the address', () => {
  const views = [
    '#',
    '#range=24h',
    '#room=lobby&before=123',
    '#user=auth0|5f7c&after=1-2',
    '#user=7&before=253402300799999-9223372036854775807-0199b7c0-3a1e-7d42-8f00-1234567890ab',
    '#from=2026-11-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z&room=a_b-c',
    '#letters=discarded&letter=7',
  ];
  for (const hash of views) {
    test(`${hash} makes the same view again`, () => {
      const view = readView(hash);
      expect(readView(writeView(view))).toEqual(view);
    });
  }

  test('what is wrong in it is left out', () => {
    const usual = readView('');
    expect(usual.span).toBe('1h');
    for (const hash of [
      '#range=constructor',
      '#range=2h',
      '#room=a%20b',
      '#room=<img>',
      '#user=',
      '#letters=all-of-them',
      '#letter=x',
      '#from=yesterday&to=today',
      '#from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z',
      '#from=2020-01-01T00:00:00Z&to=2026-11-01T00:00:00Z',
      '#before=a/b',
    ]) {
      expect(readView(hash), hash).toEqual(usual);
    }
    expect(readView('#room=a&user=7')).toEqual({ ...usual, room: 'a' });
  });

  test('times until now end at a step, the same for all who look within it', () => {
    const view = readView('#range=1h');
    expect(rangeOf(view, 10_001_000)).toEqual({ from: 10_005_000 - 3_600_000, to: 10_005_000 });
    expect(rangeOf(view, 10_004_999)).toEqual(rangeOf(view, 10_001_000));
    expect(timesOf({ from: 0, to: 1 })).toBe('from=1970-01-01T00:00:00.000Z&to=1970-01-01T00:00:00.001Z');
  });
});

test.describe('series', () => {
  test('times without messages are zeros, and what is not counted yet is left out', () => {
    const answer = { from: 1000, to: 6000, buckets: [{ start: 2000, messages: 5 }, { start: 4000, messages: 1 }] };
    expect(columns(answer, 1000, ['messages'])).toEqual([[1, 2, 3, 4, 5], [0, 5, 0, 1, 0]]);
    expect(columns(answer, 1000, ['messages'], 4500)).toEqual([[1, 2, 3], [0, 5, 0]]);
    expect(columns({ ...answer, buckets: [] }, 1000, ['messages', 'users'])[2]).toEqual([0, 0, 0, 0, 0]);
  });

  test('a longer time is counted by wider buckets', () => {
    const of = (minutes) => bucketsFor({ from: 0, to: minutes * 60_000 })?.path ?? null;
    expect([15, 16, 1440, 1441, 31 * 1440, 32 * 1440].map(of)).toEqual([
      'messages-per-second',
      'messages-per-minute',
      'messages-per-minute',
      'hourly',
      'hourly',
      null,
    ]);
  });

  test('the mean is of seconds that are counted completely', () => {
    const buckets = [{ start: 7000, messages: 100 }, { start: 8000, messages: 10 }, { start: 9000, messages: 20 }, { start: 10_000, messages: 99 }];
    expect(lately({ buckets }, 10_700, 2)).toBe(15);
    expect(lately({ buckets }, null, 2)).toBe(null);
  });

  test('recent samples are bounded, and none is taken twice', () => {
    const recent = new Recent(1, 3);
    for (const at of [1, 2, 2, 3, 4, 5]) recent.add(at, [at * 10]);
    expect(recent.columns).toEqual([[3, 4, 5], [30, 40, 50]]);
  });

  test('what nobody knows has no sum', () => {
    const self = (value) => value;
    expect(total([1, null, 2], self)).toBe(3);
    expect(total([null, undefined], self)).toBe(null);
    expect(total([], self)).toBe(null);
    expect(most([3, null, 7], self)).toBe(7);
    expect(most([], self)).toBe(null);
  });

  test('a chart is told in words', () => {
    const told = summary([[1, 2, 3], [5, 9, null]], 'Messages', String, (at) => `${at / 1000} s`);
    expect(told).toBe('Messages: highest 9 at 2 s, last 9 at 2 s');
    expect(summary([[], []], 'Messages', String, String)).toBe('No Messages yet');
  });

  test('the smallest number is not nothing, and the highest is the last level', () => {
    expect([0, 1, 50, 100].map((value) => level(value, 100, 6))).toEqual([0, 1, 3, 6]);
    expect(level(0, 0, 6)).toBe(0);
  });
});

test('numbers are written for people', () => {
  expect([null, 0, 1234].map(count)).toEqual(['–', '0', '1,234']);
  expect([9999, 12_345, 1_234_567, 0.25].map(short)).toEqual(['9,999', '12.3K', '1.2M', '0.3']);
  expect([null, 0, 1.23, 250.4].map(rate)).toEqual(['–', '0', '1.2', '250']);
  expect([null, 1.26, 120.4, 12_340].map(millis)).toEqual(['–', '1.3 ms', '120 ms', '12.3 s']);
  expect([null, -5, 999, 61_000, 180_000, 7_200_000, 200_000_000].map(age)).toEqual([
    'age unknown',
    'now',
    'now',
    '61 s ago',
    '3 min ago',
    '2 h ago',
    '2 days ago',
  ]);
  expect([1, 4].map(step)).toEqual(['1', '4–7']);
  expect([500, 2048, 3 * 1024 * 1024].map(bytes)).toEqual(['500 B', '2 KB', '3 MB']);
  expect(words('RATE_LIMITED')).toBe('rate limited');
});

/** Browser APIs that Node.js does not have. */
class Storage {
  #items = new Map();
  getItem = (name) => this.#items.get(name) ?? null;
  setItem = (name, value) => this.#items.set(name, value);
  removeItem = (name) => this.#items.delete(name);
}

const json = (status, body, headers = {}) => new Response(JSON.stringify(body), { status, headers });

test.describe('rest', () => {
  test('the token goes into a header, and a refusal is told', async () => {
    const asked = [];
    const rest = new Rest({
      storage: new Storage(),
      fetch: async (path, { headers }) => {
        asked.push([path, headers.Authorization]);
        return headers.Authorization === 'Bearer good' ? json(200, {}) : json(401, { detail: 'a token is needed' });
      },
    });
    const told = [];
    rest.onTokenNeeded = (shown) => told.push(shown);
    await expect(rest.get('a')).rejects.toMatchObject({ status: 401, message: 'a token is needed' });
    rest.token = 'bad';
    await expect(rest.get('b')).rejects.toMatchObject({ status: 401 });
    rest.token = 'good';
    expect(await rest.get('c')).toEqual({});
    expect(told).toEqual([false, true]);
    expect(asked).toEqual([['a', undefined], ['b', 'Bearer bad'], ['c', 'Bearer good']]);
  });

  for (const [what, property] of [
    ['forbids to keep anything', { get: () => { throw new DOMException('forbidden', 'SecurityError'); } }],
    ['has no room for it', { value: { getItem: () => null, setItem: () => { throw new DOMException('full', 'QuotaExceededError'); }, removeItem: () => {} } }],
  ]) {
    test(`where the browser ${what} the token lasts as long as the page`, async () => {
      const before = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
      Object.defineProperty(globalThis, 'sessionStorage', { ...property, configurable: true });
      try {
        const asked = [];
        const rest = new Rest({
          fetch: async (path, { headers }) => {
            asked.push(headers.Authorization);
            return json(200, {});
          },
        });
        await rest.get('a');
        rest.token = 'good';
        expect(rest.token).toBe('good');
        await rest.get('a');
        rest.token = '';
        await rest.get('a');
        expect(asked).toEqual([undefined, 'Bearer good', undefined]);
      } finally {
        delete globalThis.sessionStorage;
        if (before) Object.defineProperty(globalThis, 'sessionStorage', before);
      }
    });
  }

  test('the token is there after a reload of the tab, until it is taken away', () => {
    const storage = new Storage();
    new Rest({ storage }).token = 'good';
    expect(new Rest({ storage }).token).toBe('good');
    new Rest({ storage }).token = null;
    expect(new Rest({ storage }).token).toBe(null);
  });

  test('it knows what time it is at the consumer', async () => {
    const rest = new Rest({
      storage: new Storage(),
      fetch: async () => json(200, { asOf: Date.now() - 3_600_000 - 500, ageMillis: 500 }),
    });
    await rest.get('a');
    expect(rest.now()).toBeLessThan(Date.now() - 3_590_000);
  });

  test('errors are in words, whoever answers', async () => {
    const answers = [
      json(429, { detail: 'too often' }, { 'Retry-After': '3' }),
      new Response('<html>', { status: 403 }),
      new Response('', { status: 502 }),
    ];
    const rest = new Rest({ storage: new Storage(), fetch: async () => answers.shift() ?? Promise.reject(new TypeError('no network')) });
    await expect(rest.get('a')).rejects.toMatchObject({ status: 429, message: 'too often', retryAfterMillis: 3000 });
    await expect(rest.get('a')).rejects.toMatchObject({ status: 403, message: 'it is not allowed here: a proxy may be between' });
    await expect(rest.get('a')).rejects.toMatchObject({ status: 502, message: 'status 502' });
    await expect(rest.get('a')).rejects.toMatchObject({ status: 0, message: 'the consumer cannot be reached' });
  });
});

test.describe('a feed', () => {
  /** Answers are given by hand. */
  function asked() {
    const questions = [];
    const rest = {
      get: (path, signal) => {
        const question = { path, signal, ...Promise.withResolvers?.() };
        if (question.promise === undefined) {
          question.promise = new Promise((resolve, reject) => Object.assign(question, { resolve, reject }));
        }
        questions.push(question);
        return question.promise;
      },
    };
    return { questions, rest };
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('asks again only after an answer, and not once it is stopped', async () => {
    const { questions, rest } = asked();
    const heard = [];
    const feed = new Feed(rest, () => 'a', 0);
    feed.listen(({ answer }) => heard.push(answer));
    feed.start();
    feed.start();
    await settled();
    expect(questions).toHaveLength(1);
    questions[0].resolve({ n: 1 });
    await expect.poll(() => questions.length).toBe(2);
    expect(heard).toEqual([{ n: 1 }]);
    feed.stop();
    expect(questions[1].signal.aborted).toBe(true);
    questions[1].resolve({ n: 2 });
    await settled();
    expect(heard).toHaveLength(1);
  });

  test('an answer to what was asked before is not heard', async () => {
    const { questions, rest } = asked();
    let path = 'a';
    const heard = [];
    const feed = new Feed(rest, () => path, 60_000);
    feed.listen(({ answer }) => heard.push(answer));
    feed.start();
    path = 'b';
    feed.renew();
    questions[0].resolve('old');
    questions[1].resolve('new');
    await settled();
    expect(questions.map((question) => question.path)).toEqual(['a', 'b']);
    expect(heard).toEqual(['new']);
    feed.stop();
  });

  test('after an error the last answer stays, with what is wrong', async () => {
    const { questions, rest } = asked();
    const feed = new Feed(rest, () => 'a', 0);
    feed.start();
    questions[0].resolve({ ageMillis: 500 });
    await expect.poll(() => questions.length).toBe(2);
    questions[1].reject(new Problem(503, 'later', 60_000));
    await settled();
    expect(feed.answer).toEqual({ ageMillis: 500 });
    expect(feed.problem.message).toBe('later');
    expect(feed.age).toBeGreaterThanOrEqual(500);
    feed.stop();
  });

  test('a listener that fails is reported, and neither ends it nor keeps others from hearing', async () => {
    const { questions, rest } = asked();
    const heard = [];
    const reported = [];
    const microtask = globalThis.queueMicrotask;
    globalThis.queueMicrotask = (report) => reported.push(report);
    const feed = new Feed(rest, () => 'a', 0);
    try {
      feed.listen(() => {
        throw new Error('mine');
      });
      feed.listen(({ answer }) => heard.push(answer));
      feed.start();
      questions[0].resolve(1);
      await expect.poll(() => questions.length).toBe(2);
      questions[1].resolve(2);
      await expect.poll(() => questions.length).toBe(3);
    } finally {
      feed.stop();
      globalThis.queueMicrotask = microtask;
    }
    expect(heard).toEqual([1, 2]);
    expect(reported).toHaveLength(2);
    expect(reported[0]).toThrow('mine');
  });

  test('a listener may stop it, or ask at once', async () => {
    const { questions, rest } = asked();
    const feed = new Feed(rest, () => 'a', 0);
    feed.listen(({ answer }) => (answer === 1 ? feed.again() : feed.stop()));
    feed.start();
    questions[0].resolve(1);
    await expect.poll(() => questions.length).toBe(2);
    questions[1].resolve(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(questions).toHaveLength(2);
  });

  test('where there is nothing to ask nothing is asked', () => {
    const { questions, rest } = asked();
    const feed = new Feed(rest, () => null, 0);
    feed.start();
    expect(questions).toEqual([]);
    feed.stop();
  });
});

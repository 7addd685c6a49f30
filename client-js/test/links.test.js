import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { addressesIn } from '../../chat-server/src/main/resources/static/js/links.js';
import { isBlank, sendable } from '../../chat-server/src/main/resources/static/js/protocol.js';

/** A text, and what of it is an address; with `->` where it leads, if that is something else. */
const TABLE = [
  ['见https://example.com/a。谢谢', 'https://example.com/a'],
  ['「https://example.com/」', 'https://example.com/'],
  ['（https://example.com/x），然后', 'https://example.com/x'],
  ['https://example.com/x！', 'https://example.com/x'],
  ['راجع https://example.com/x، ثم', 'https://example.com/x'],
  ['https://example.com/x। फिर', 'https://example.com/x'],
  ['https://例え.jp/パス を見て', 'https://例え.jp/パス'],
  ['https://пример.рф/путь, да', 'https://пример.рф/путь'],
  ['HTTPS://Example.COM/A and Http://b.example', 'HTTPS://Example.COM/A', 'Http://b.example'],
  ['https://bank.com/\u202emoc.live', 'https://bank.com/'],
  ['\u202ehttps://bank.com/x', 'https://bank.com/x'],
  ['https://bank.com\u2066.evil.example/', 'https://bank.com'],
  ['https://bank.com\u200b.evil.example/', 'https://bank.com'],
  ['https://bank\u00ad.com/', 'https://bank'],
  ['see https://example.org/a_(b)?c=<d>', 'https://example.org/a_(b)?c='],
  ['(http://example.net/x).', 'http://example.net/x'],
  ['(https://example.org/x)and more', 'https://example.org/x'],
  ['[https://example.org/x] and "https://example.org/y".', 'https://example.org/x', 'https://example.org/y'],
  ['((https://en.wikipedia.org/wiki/A_(b)))', 'https://en.wikipedia.org/wiki/A_(b)'],
  ['**https://example.org/x** https://example.org/y...', 'https://example.org/x', 'https://example.org/y'],
  ['https://example.org/x’s and https://example.org/a—then', 'https://example.org/x', 'https://example.org/a'],
  ['http://localhost:8080/a#b=c&d=%20!', 'http://localhost:8080/a#b=c&d=%20'],
  ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
  ['see www.example.com, (www.example.org/a_(b)) 见www.example.net。', 'www.example.com -> https://www.example.com', 'www.example.org/a_(b) -> https://www.example.org/a_(b)', 'www.example.net -> https://www.example.net'],
  ['WWW.Example.com', 'WWW.Example.com -> https://WWW.Example.com'],
  ['www. www.x and foo.www.example.com'],
  ['write to alice.b+c@mail.example.org.', 'alice.b+c@mail.example.org -> mailto:alice.b+c@mail.example.org'],
  ['写信给alice@example.org，谢谢', 'alice@example.org -> mailto:alice@example.org'],
  ['mailto:alice@example.org', 'alice@example.org -> mailto:alice@example.org'],
  ['alice@example or @alice or a@b@c.example'],
  ['https://bank.example@evil.example/ and https://user:secret@evil.example/'],
  ['javascript:alert(1) ftp://example.org data:text/html,x https:// https://. http:example.org'],
  ['example.com'],
  ['xhttps://example.com'],
];

describe('addresses', () => {
  for (const [text, ...expected] of TABLE) {
    test(`in ${JSON.stringify(text)}`, () => {
      const found = addressesIn(text).map(({ start, end, href }) => {
        const shown = text.slice(start, end);
        return shown === href ? shown : `${shown} -> ${href}`;
      });
      assert.deepEqual(found, expected);
    });
  }

  test('are found without long delays in texts made to delay', () => {
    for (const part of ['www.', 'a@', 'a.', 'https://(', 'a@a.', '(', 'https://a']) {
      const started = process.cpuUsage().user;
      addressesIn(part.repeat(2000));
      assert.ok(process.cpuUsage().user - started < 2_000_000, part);
    }
  });
});

describe('a text', () => {
  const { blank, visible } = JSON.parse(readFileSync(new URL('../../docs/reference/schemas/texts.json', import.meta.url), 'utf8'));
  const shown = (text) => JSON.stringify(text).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  for (const text of blank) test(`${shown(text)} is blank`, () => assert.ok(isBlank(sendable(text))));
  for (const text of visible) test(`${shown(text)} is visible`, () => assert.ok(!isBlank(sendable(text))));
});

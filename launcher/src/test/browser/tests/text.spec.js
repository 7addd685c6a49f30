import { expect, test } from '../support/guest.js';

const MARKUP = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  '<a href="javascript:alert(1)">click</a>',
  'javascript:alert(1)',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<style>body{display:none}</style>',
  '&lt;b&gt; &amp; &#60;',
];

test('markup in a message is text, on both sides and in the history', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);
  for (const text of MARKUP) await alice.say(text);

  const sound = async (reader) => {
    await expect(reader.words).toHaveText(MARKUP);
    await expect(reader.words.locator('*')).toHaveCount(0);
    await expect(reader.page.locator('script:not([src$="js/main.js"]), iframe, style, #rows a, body > img')).toHaveCount(0);
  };
  await sound(alice);
  await sound(bob);
  await bob.page.reload();
  await sound(bob);
});

test('only web addresses become links, and those tell nothing about us', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.say('See https://example.org/a_(b)?c=<d> and (http://example.net/x). Not ftp://example.org, https://bank.example@evil.example/ or https://.');

  const links = alice.words.getByRole('link');
  await expect(links).toHaveText(['https://example.org/a_(b)?c=', 'http://example.net/x']);
  for (const link of await links.all()) {
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await expect(link).toHaveAttribute('target', '_blank');
  }
});

test('the page is served with a policy that allows no inline script and no other origin', async ({ page }) => {
  const policy = (await page.goto('/')).headers()['content-security-policy'];
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
});

test('501 characters cannot be sent, and the page says so', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  const send = alice.page.getByRole('button', { name: 'Send' });

  await alice.write('x'.repeat(501));
  await expect(alice.page.getByText('1 character too long: a message has at most 500')).toBeVisible();
  await expect(send).toBeDisabled();
  await expect(alice.message).toHaveValue('x'.repeat(501));
  await expect(alice.words).toHaveCount(0);

  await alice.message.fill('x'.repeat(490));
  await expect(alice.page.getByText('10 left')).toBeVisible();
  await expect(send).toBeEnabled();
});

test('500 characters can be sent, whatever they take in memory', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);
  await alice.say('\u{1F600}'.repeat(500));
  await expect(bob.words).toHaveText(['\u{1F600}'.repeat(500)]);
});

test('blank messages are not sent', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.write(' \n ');
  await alice.say('Not blank');
  await expect(alice.words).toHaveText(['Not blank']);
});

test('an address reads as it leads, whatever is written around it', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.say('\u202e\u05d0\u05d1 https://bank.example/moc \u202eevil.example/ HTTPS://Example.com \u89c1https://example.com/a\u3002\u8c22\u8c22 www.example.org alice@example.net');

  const links = alice.words.getByRole('link');
  await expect(links).toHaveText(['https://bank.example/moc', 'HTTPS://Example.com', 'https://example.com/a', 'www.example.org', 'alice@example.net']);
  const leadTo = await links.evaluateAll((all) => all.map(({ href }) => href));
  expect(leadTo).toEqual(['https://bank.example/moc', 'https://example.com/', 'https://example.com/a', 'https://www.example.org/', 'mailto:alice@example.net']);
  // Isolated and from left to right: each begins left of where it ends, and no override from outside reaches it.
  for (const [direction, isolation] of await links.evaluateAll((all) => all.map((link) => [getComputedStyle(link).direction, getComputedStyle(link).unicodeBidi]))) {
    expect([direction, isolation]).toEqual(['ltr', 'isolate']);
  }
});

test('a text from right to left stands right in its bubble, one from left to right left', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  const hebrew = '\u05e9\u05dc\u05d5\u05dd \u05dc\u05db\u05d5\u05dc\u05dd';
  await alice.say(`${hebrew}\n${'\u05d0\u05d1\u05d2 '.repeat(20)}`);
  await alice.say(`Hello\n${'and more of it '.repeat(6)}`);
  /** How far the first line of a text is from the left and the right of its bubble, and on which side the time stands. */
  const places = (index) =>
    alice.log.locator('.bubble').nth(index).evaluate((bubble) => {
      const range = document.createRange();
      range.setStart(bubble.querySelector('.words').firstChild, 0);
      range.setEnd(bubble.querySelector('.words').firstChild, 3);
      const [line, box, time] = [range, bubble, bubble.querySelector('.meta')].map((one) => one.getBoundingClientRect());
      return { left: line.left - box.left, right: box.right - line.right, timeLeft: time.left - box.left, timeRight: box.right - time.right };
    });
  const rightToLeft = await places(0);
  expect(rightToLeft.right).toBeLessThan(rightToLeft.left);
  expect(rightToLeft.timeLeft).toBeLessThan(rightToLeft.timeRight);
  const leftToRight = await places(1);
  expect(leftToRight.left).toBeLessThan(leftToRight.right);
  expect(leftToRight.timeRight).toBeLessThan(leftToRight.timeLeft);
});

test('texts without a visible character are not sent, and the page says why', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  const send = alice.page.getByRole('button', { name: 'Send' });
  for (const text of ['\u200b', '\u2800', '\u3164', '\u00ad', '\u180e', '\u{e0041}\u{e0042}', '\u200b \u2060']) {
    await alice.write(text);
    await expect(send).toBeDisabled();
    await expect(alice.page.getByText('a message has at least one visible character')).toBeVisible();
  }
  await alice.say('\u{1f3f3}\ufe0f\u200d\u{1f308}');
  await expect(alice.words).toHaveCount(1);
});

test('a text of millions of characters is cut where it is pasted, and the page says so', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.message.fill('short draft');
  await alice.message.focus();
  await alice.page.evaluate(() => {
    const box = document.getElementById('text');
    const text = 'x'.repeat(6_000_000);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    document.execCommand('insertText', false, text);
  });
  await expect(alice.page.locator('#composer-note')).toContainText('5998011 characters found no place here');
  const draft = await alice.message.inputValue();
  expect(draft).toHaveLength(2000);
  expect(draft).toMatch(/^short draftx+$/);
});

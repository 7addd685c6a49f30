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

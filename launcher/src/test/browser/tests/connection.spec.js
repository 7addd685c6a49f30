import { expect, test } from '../support/guest.js';

test('a lost connection loses nothing and doubles nothing', async ({ guest, room, wire }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room, wire.address);
  await bob.enter(room);
  await alice.say('Before');
  await expect(bob.words).toHaveText(['Before']);

  wire.cut();
  await expect(alice.page.getByText(/Reconnecting in \d+ s/)).toBeVisible();
  for (const text of ['Missed one', 'Missed two', 'Missed three']) await bob.say(text);
  await alice.write('Written while away');
  await alice.write('And another');
  await expect(alice.row('Written while away')).toHaveAttribute('data-status', 'sending');

  wire.mend();
  await alice.isJoined();
  await expect(alice.row('And another')).toHaveAttribute('data-status', 'accepted');
  const talk = ['Before', 'Missed one', 'Missed two', 'Missed three', 'Written while away', 'And another'];
  await expect(alice.words).toHaveText(talk);
  await expect(bob.words).toHaveText(talk);
  await expect(alice.page.getByText('could not be recovered')).toHaveCount(0);
});

test('a message whose answer was lost is sent again and stands there once', async ({ guest, room, wire }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room, wire.address);
  await bob.enter(room);

  wire.deafen();
  await alice.write('Did you get this?');
  await expect(bob.words).toHaveText(['Did you get this?']);
  await expect(alice.row('Did you get this?')).toHaveAttribute('data-status', 'sending');
  wire.cut();
  wire.mend();

  await expect(alice.row('Did you get this?')).toHaveAttribute('data-status', 'accepted');
  await alice.say('Once is enough');
  const talk = ['Did you get this?', 'Once is enough'];
  await expect(bob.words).toHaveText(talk);
  await expect(alice.words).toHaveText(talk);
});

test('messages that never arrived are sent again, in their order', async ({ guest, room, wire }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room, wire.address);
  await bob.enter(room);

  wire.silence();
  const talk = ['One', 'Two', 'Three'];
  for (const text of talk) await alice.write(text);
  await expect(alice.row('Three')).toHaveAttribute('data-status', 'sending');
  wire.cut();
  wire.mend();

  await expect(bob.words).toHaveText(talk);
  await expect(alice.words).toHaveText(talk);
  await expect(alice.row('Three')).toHaveAttribute('data-status', 'accepted');
});

test('a message that waits survives a reload of the page', async ({ guest, room }) => {
  const alice = await guest('alice');
  let swallow = true;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => (swallow && frame.includes('"TEXT"') ? undefined : server.send(frame)));
  });
  await alice.enter(room);
  await alice.write('Do not forget me');
  await expect(alice.row('Do not forget me')).toHaveAttribute('data-status', 'sending');

  swallow = false;
  await alice.page.reload();
  await expect(alice.row('Do not forget me')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.words).toHaveText(['Do not forget me']);
});

test('without a network the page says so, and is back with it', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);
  await alice.page.context().setOffline(true);
  await expect(alice.state).toHaveText('Offline');
  await bob.say('Can you hear me?');

  await alice.page.context().setOffline(false);
  await alice.isJoined();
  await expect(alice.page.locator('#banner')).toBeHidden();
  await expect(alice.words).toHaveText(['Can you hear me?']);
});

test('close codes are obeyed: stay away, or come back at once', async ({ guest, room }) => {
  const alice = await guest('alice');
  const sockets = [];
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    page.connectToServer();
    sockets.push(page);
  });
  await alice.enter(room);

  await sockets[0].close({ code: 4200, reason: 'restarting' });
  await expect.poll(() => sockets.length).toBe(2);
  await alice.isJoined();
  await alice.say('Still here');

  await sockets[1].close({ code: 4000, reason: 'go away' });
  await expect(alice.state).toHaveText('Disconnected');
  await expect(alice.page.getByText('The server closed the connection: go away')).toBeVisible();
  expect(sockets).toHaveLength(2);

  await alice.page.getByRole('button', { name: 'Join again' }).click();
  await alice.isJoined();
  expect(sockets).toHaveLength(3);
});

test('a refusal for now is tried again, one for good is shown with its reason', async ({ guest, room }) => {
  const alice = await guest('alice');
  const refusals = [
    { code: 'UNAVAILABLE', errors: ['try later'], retryable: true, retryAfterMs: 200 },
    { code: 'INVALID', errors: ['not with us'], retryable: false, retryAfterMs: null },
  ];
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => {
      const { messageType, messageId } = JSON.parse(frame);
      const refusal = messageType === 'TEXT' ? refusals.shift() : undefined;
      if (refusal) page.send(JSON.stringify({ type: 'ERROR', roomId: room, messageId, ...refusal }));
      else server.send(frame);
    });
  });
  await alice.enter(room);

  await alice.write('Shy');
  await expect(alice.row('Shy')).toHaveAttribute('data-status', 'failed');
  await expect(alice.row('Shy')).toContainText('not with us');
  await alice.row('Shy').getByRole('button', { name: 'Edit' }).click();
  await expect(alice.message).toHaveValue('Shy');
  await expect(alice.words).toHaveCount(0);

  await alice.message.press('Enter');
  await expect(alice.row('Shy')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.words).toHaveText(['Shy']);
});

test('a gap is shown where it is', async ({ guest, room }) => {
  const alice = await guest('alice');
  let socket;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    page.connectToServer();
    socket = page;
  });
  await alice.enter(room);
  await alice.say('Before the gap');
  socket.send(JSON.stringify({ type: 'GAP', roomId: room, from: '9007199254740993', to: '9007199254740995' }));
  await expect(alice.quiet).toHaveText(['Some messages could not be recovered here']);
  await alice.say('After the gap');
  await expect(alice.log.locator('.row:not(.day)')).toHaveText([/Before the gap/, /could not be recovered/, /After the gap/]);
});

test('what a server sends twice stands there once', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    server.onMessage((frame) => {
      page.send(frame);
      if (JSON.parse(frame).type !== 'WELCOME') page.send(frame);
    });
  });
  await alice.enter(room);
  await alice.say('Echo');
  await alice.say('No echo');
  await expect(alice.words).toHaveText(['Echo', 'No echo']);
});

test('offline it says so, counts what waits, and catches up', async ({ guest, room }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await alice.enter(room);
  await bob.enter(room);
  await alice.say('Into the tunnel');
  await alice.page.context().setOffline(true);
  const banner = alice.page.locator('#banner-text');
  await expect(banner).toContainText('You are offline');
  await alice.write('First');
  await expect(banner).toContainText('1 message waits');
  await alice.write('Second');
  await expect(banner).toContainText('2 messages wait');
  await bob.say('Still there?');

  await alice.page.context().setOffline(false);
  await expect(alice.page.locator('#banner')).toBeHidden();
  const talk = ['Into the tunnel', 'Still there?', 'First', 'Second'];
  for (const reader of [alice, bob]) await expect(reader.words).toHaveText(talk);
  await expect(alice.log.locator('.row.text, .row.new')).toHaveText([/tunnel/, 'New messages', /Still there/, /First/, /Second/]);
});

test('a message that was not sent is there after a reload, and can be tried again', async ({ guest, room }) => {
  const alice = await guest('alice');
  let refuse = true;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => {
      const { messageType, messageId } = JSON.parse(frame);
      if (!refuse || messageType !== 'TEXT') server.send(frame);
      else page.send(JSON.stringify({ type: 'ERROR', roomId: room, messageId, code: 'INVALID', errors: ['not today'], retryable: false, retryAfterMs: null }));
    });
  });
  await alice.enter(room);
  await alice.write('Try me');
  await expect(alice.row('Try me')).toHaveAttribute('data-status', 'failed');
  await expect(alice.page.locator('#announcer')).toContainText('not today');

  refuse = false;
  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.row('Try me')).toHaveAttribute('data-status', 'failed');
  await expect(alice.page.locator('#room-list .flag')).toHaveText('Not sent');
  await alice.row('Try me').getByRole('button', { name: 'Retry' }).click();
  await expect(alice.row('Try me')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.page.locator('#room-list .flag')).toHaveText('');
  await expect(alice.words).toHaveText(['Try me']);
});

test('a second press on the button of a message that was not sent does nothing more', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => {
      const { messageType, messageId, message } = JSON.parse(frame);
      if (messageType !== 'TEXT' || message === 'Fine') server.send(frame);
      else page.send(JSON.stringify({ type: 'ERROR', roomId: room, messageId, code: 'INVALID', errors: ['not today'], retryable: false, retryAfterMs: null }));
    });
  });
  await alice.enter(room);
  const pressTwice = (text, name) =>
    alice.row(text).getByRole('button', { name }).evaluate((button) => {
      button.click();
      button.click();
    });
  for (const text of ['Discard me', 'Edit me', 'Retry me']) {
    await alice.write(text);
    await expect(alice.row(text)).toHaveAttribute('data-status', 'failed');
  }
  await pressTwice('Discard me', 'Discard');
  await pressTwice('Edit me', 'Edit');
  await expect(alice.message).toHaveValue('Edit me');
  await alice.page.reload();
  await alice.isJoined();
  await pressTwice('Retry me', 'Retry');
  await expect(alice.words).toHaveText(['Retry me']);
  await expect(alice.row('Retry me')).toHaveAttribute('data-status', 'failed');
  await alice.say('Fine');
});

test('damaged messages in what the browser has kept are dropped, and the room goes on', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.page.evaluate((name) => {
    const whole = { messageId: '00000000-0000-7000-8000-000000000001', text: 'Whole', writtenAt: Date.now() };
    const wrong = [null, {}, 'text', { ...whole, text: 1 }, { ...whole, text: '' }, { ...whole, writtenAt: undefined }];
    sessionStorage.setItem(`confab.failed.${name}.alice`, JSON.stringify([...wrong, { ...whole, messageId: 'no UUID' }, whole]));
    const userId = JSON.parse(sessionStorage.getItem('confab.userId'));
    wrong.forEach((entry, i) => sessionStorage.setItem(`confab ${location.host} ${userId} ${name} ${i}`, JSON.stringify(entry)));
  }, room);
  await alice.page.reload();
  await alice.isJoined();
  await expect(alice.row('Whole')).toHaveAttribute('data-status', 'failed');
  await expect(alice.words).toHaveText(['Whole']);
  await alice.say('Next');
});

test('over a slow network the page comes up, and what one writes is there at once', async ({ guest, room, wire }) => {
  const alice = await guest('alice');
  const bob = await guest('bob');
  await bob.enter(room);
  const network = await alice.page.context().newCDPSession(alice.page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', { offline: false, latency: 300, downloadThroughput: 50_000, uploadThroughput: 20_000 });
  wire.delay(400);
  await alice.enter(room, wire.address);
  await alice.write('Carrier pigeon');
  await expect(alice.row('Carrier pigeon')).toHaveAttribute('data-status', 'sending');
  await bob.say('Got it soon');
  await expect(alice.row('Carrier pigeon')).toHaveAttribute('data-status', 'accepted');
  await expect(alice.words).toHaveCount(2);
  const order = await bob.words.allTextContents();
  await expect(alice.words).toHaveText(order);
});

test('one can write before the server has answered, and the text is sent after that', async ({ guest, room }) => {
  const alice = await guest('alice');
  const held = [];
  let answers = false;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    page.connectToServer().onMessage((frame) => (answers ? page.send(frame) : held.push(() => page.send(frame))));
  });
  await alice.page.goto(`/#room=${room}`);
  await alice.page.getByLabel('Your name').fill('alice');
  await alice.page.getByRole('button', { name: 'Join the room' }).click();
  await alice.message.pressSequentially('Anybody home?');
  await expect(alice.message).toHaveValue('Anybody home?');
  await alice.message.press('Enter');
  await expect(alice.row('Anybody home?')).toHaveAttribute('data-status', 'sending');
  await expect(alice.state).toHaveText('Connecting');

  answers = true;
  held.forEach((send) => send());
  await expect(alice.row('Anybody home?')).toHaveAttribute('data-status', 'accepted');
});

test('one can write in another room before that has let us in', async ({ guest, room }) => {
  const alice = await guest('alice');
  const other = `${room}-2`;
  await alice.page.routeWebSocket(/\/chat\//, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => JSON.parse(frame).roomId === other || server.send(frame));
  });
  await alice.enter(room);
  await alice.page.getByLabel('Enter another room').fill(other);
  await alice.page.getByLabel('Enter another room').press('Enter');
  await expect(alice.page.getByRole('heading', { level: 1 })).toHaveText(`#${other}`);
  await alice.message.pressSequentially('Half a thought');
  await expect(alice.message).toHaveValue('Half a thought');
});

test('texts that the browser does not keep are said to be lost by a reload', async ({ guest, room }) => {
  const alice = await guest('alice');
  await alice.enter(room);
  await alice.page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await alice.page.context().setOffline(true);
  const banner = alice.page.locator('#banner-text');
  await expect(banner).toContainText('You are offline');
  await alice.write('First');
  await expect(banner).toContainText('1 message waits and will be sent then');
  await expect(banner).toContainText('Do not reload: 1 text would be lost');
  await alice.write('Second');
  await expect(banner).toContainText('2 texts would be lost');

  await alice.page.context().setOffline(false);
  await expect(alice.page.locator('#banner')).toBeHidden();
  await expect(alice.row('Second')).toHaveAttribute('data-status', 'accepted');
});

test('a connection that the server refuses for good says why, once', async ({ guest, room }) => {
  const { page, state } = await guest('alice');
  const problem = { title: 'Forbidden', status: 403, reason: 'origin', detail: 'pages of https://other.example are not allowed' };
  await page.route(/\/chat\//, (route) => route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) }));
  await page.addInitScript(() => {
    globalThis.WebSocket = class {
      constructor() {
        setTimeout(() => this.onclose({ code: 1006, reason: '' }));
      }
      close() {}
    };
  });
  await page.goto(`/#room=${room}`);
  await page.getByLabel('Your name').fill('alice');
  await page.getByRole('button', { name: 'Join the room' }).click();
  await expect(state).toHaveText('Disconnected');
  await expect(page.locator('#banner-text')).toContainText('pages of https://other.example are not allowed (HTTP 403, origin)');
  await expect(page.getByRole('button', { name: 'Join again' })).toBeVisible();
});

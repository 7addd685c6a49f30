import { expect, test } from '../support/guest.js';
import { baseURL } from '../support/platform.js';
import { namedBy } from '../support/token.js';

/** The claims of a token; the platform under these tests is open and ignores tokens. */
const tokenOf = (claims) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;
const TOKEN = tokenOf({ sub: '77', name: 'Token Name' });

const connect = namedBy({ username: 'tokenname', displayName: 'Token Name' });

const askForTokens = (page) =>
  page.route('**/health', (route) => route.fulfill({ json: { status: 'UP', identity: 'token', capacity: { healthy: true } } }));

test('where the server asks for tokens the page does, and shows it with the upgrade', async ({ guest, room }) => {
  const { page, state } = await guest('alice');
  await askForTokens(page);
  await page.routeWebSocket(/\/chat\//, connect);
  await page.addInitScript(() => {
    const Real = WebSocket;
    globalThis.offered = [];
    globalThis.WebSocket = class extends Real {
      constructor(url, protocols) {
        super(url, 'confab.v1');
        globalThis.offered.push(protocols);
      }
    };
  });
  await page.goto(`${baseURL}/#room=${room}`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Join the room' }).click();
  await expect(state).toHaveAttribute('data-state', 'joined');
  expect(await page.evaluate(() => globalThis.offered)).toEqual([['confab.v1', `bearer.${TOKEN}`]]);
  await expect(page.locator('#people-me')).toHaveText('Token Name');
});

test('a token that the server does not take is asked for again', async ({ guest, room }) => {
  const { page } = await guest('alice');
  await askForTokens(page);
  await page.routeWebSocket(/\/chat\//, (socket) => socket.close({ code: 4003, reason: 'the token has expired' }));
  await page.goto(`${baseURL}/#room=${room}`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Join the room' }).click();
  await expect(page.getByRole('alert')).toContainText('did not take the token');
  await expect(page.getByLabel('Token')).toHaveValue('');
});

test('a token that ends while there is no connection is asked for again', async ({ guest, room }) => {
  const { page, state } = await guest('alice');
  await askForTokens(page);
  const sockets = [];
  await page.routeWebSocket(/\/chat\//, (socket) => {
    if (sockets.push(socket) === 1) connect(socket);
    else socket.close({ code: 1011 });
  });
  await page.goto(`${baseURL}/#room=${room}`);
  await page.getByLabel('Token').fill(tokenOf({ sub: '77', exp: 1 }));
  await page.getByRole('button', { name: 'Join the room' }).click();
  await expect(state).toHaveAttribute('data-state', 'joined');
  await sockets[0].close({ code: 1011 });
  await expect(page.getByRole('alert')).toContainText('did not take the token');
});

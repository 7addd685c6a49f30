import { test as base, expect } from '@playwright/test';
import { baseURL } from './platform.js';
import { Wire } from './wire.js';

export { expect };

/** One person with a browser of their own. */
export class Guest {
  constructor(page, name) {
    this.page = page;
    this.name = name;
    this.log = page.getByRole('log');
    this.words = this.log.locator('.words');
    this.quiet = this.log.locator('.quiet');
    this.state = page.locator('#state');
    this.message = page.getByRole('textbox', { name: 'Message' });
    this.people = page.locator('#people-list .person-name');
    this.count = page.locator('#people-count');
  }

  /** Follows a link to a room and gives a name. */
  async enter(room, address = baseURL) {
    await this.page.goto(`${address}/#room=${room}`);
    await this.page.getByLabel('Your name').fill(this.name);
    await this.page.getByRole('button', { name: 'Join the room' }).click();
    await this.isJoined();
  }

  async isJoined() {
    await expect(this.state).toHaveAttribute('data-state', 'joined');
  }

  /** Writes a message, and does not wait for anything. */
  async write(text) {
    await this.message.fill(text);
    await this.message.press('Enter');
  }

  /** Writes a message and waits until it is accepted. */
  async say(text) {
    await this.write(text);
    await expect(this.row(text)).toHaveAttribute('data-status', 'accepted');
  }

  row(text) {
    return this.log.locator('.row').filter({ has: this.page.getByText(text, { exact: true }) });
  }
}

/**
 * `room`: a room for this test alone. `guest(name, options)`: a user in a browser context of its own; at the end of the
 * test, no user may have seen a script error, a dialog, a violation of the content security policy, or a request to another
 * machine. `wire`: a connection to the platform that can be cut.
 */
export const test = base.extend({
  room: async ({}, use) => {
    await use(`test-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`);
  },

  guest: async ({ browser }, use) => {
    const contexts = [];
    const faults = [];
    await use(async (name, options = {}) => {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      contexts.push(context);
      const page = await context.newPage();
      watch(page, name, faults);
      return new Guest(page, name);
    });
    for (const context of contexts) await context.close();
    expect(faults).toEqual([]);
  },

  wire: async ({}, use) => {
    const wire = new Wire(baseURL);
    await wire.listen();
    await use(wire);
    await wire.close();
  },
});

function watch(page, name, faults) {
  page.on('pageerror', (error) => faults.push(`${name}: ${error.stack}`));
  page.on('dialog', async (dialog) => {
    faults.push(`${name}: dialog ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('console', (message) => {
    // The browser itself reports lost sockets and unanswered requests as errors; tests lose them on purpose.
    if (message.type() === 'error' && !/WebSocket|ERR_INTERNET_DISCONNECTED|Failed to load resource/.test(message.text())) {
      faults.push(`${name}: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== new URL(baseURL).hostname && hostname !== '127.0.0.1') {
      faults.push(`${name}: request to ${request.url()}`);
    }
  });
}

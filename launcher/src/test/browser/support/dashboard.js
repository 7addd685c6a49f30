import { test as base, expect } from '@playwright/test';
import { baseURL } from './platform.js';

export { expect };

/** The dashboard in a browser of its own. */
export class Board {
  constructor(page) {
    this.page = page;
  }

  /** @param hash the view, without # */
  async open(hash = '') {
    await this.page.goto(`${baseURL}/dashboard${hash === '' ? '' : `#${hash}`}`);
  }

  panel(id) {
    return this.page.locator(`#${id}`);
  }

  /** The number of a tile. */
  value(id) {
    return this.panel(id).locator('.value');
  }

  /** Every figure is there, or says why there is none. */
  async isDrawn() {
    await expect(this.page.locator('#overview .content:visible, #overview .empty:visible').first()).toBeVisible();
    await expect(this.page.getByText('Loading …')).toHaveCount(0);
  }

  get rows() {
    return this.page.locator('#detail tbody tr');
  }
}

/**
 * `board(options)`: the dashboard; at the end of the test none of them may have met a script error or a violation of the
 * content security policy, or have asked another machine.
 */
export const test = base.extend({
  board: async ({ browser }, use) => {
    const contexts = [];
    const faults = [];
    await use(async (options = {}) => {
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(error.stack));
      page.on('console', (message) => {
        // Answers that are errors are reported by the browser itself; tests bring some about.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
      });
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(baseURL).origin) faults.push(`request to ${request.url()}`);
      });
      return new Board(page);
    });
    for (const context of contexts) {
      // Answers that a test is still fetching for the page would be gone with it.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'wait' });
      await context.close();
    }
    expect(faults).toEqual([]);
  },
});

export async function ask(path) {
  const answer = await fetch(`${baseURL}/${path}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

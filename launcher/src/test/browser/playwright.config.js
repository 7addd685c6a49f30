import { defineConfig } from '@playwright/test';
import { baseURL } from './support/platform.js';

// CONFAB_URL: the running platform; CHROMIUM: the browser. Nothing is downloaded, nothing but the platform is asked.
export default defineConfig({
  testDir: 'tests',
  outputDir: '../../../target/browser',
  workers: 2,
  forbidOnly: true,
  // A test that passes only when it is repeated has failed.
  retries: 0,
  failOnFlakyTests: true,
  // Ends what hangs: how long anything takes is no matter of tests, and a shared machine may be many times slower than another.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    baseURL,
    locale: 'en-GB',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
      ],
    },
  },
});

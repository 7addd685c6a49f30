import { defineConfig } from '@playwright/test';
import { baseURL } from './support/platform.js';

// CONFAB_URL: the running platform; CHROMIUM: the browser. Nothing is downloaded, nothing but the platform is asked.
export default defineConfig({
  testDir: 'tests',
  outputDir: '../../../target/browser',
  workers: 2,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
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

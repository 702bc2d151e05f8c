import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

const port = process.env.JAXVIZ_PORT ?? '8987';
const server = `http://127.0.0.1:${port}`;
process.env.JAXVIZ_PORT = port; // the server's config reads it
process.env.TARGET_URL = server; // galata reads it
const browser = process.env.CHROMIUM;
if (!browser) throw new Error('CHROMIUM names no browser: run `make test-browser`.');

export default defineConfig({
  testDir: './tests',
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env.CI),
  retries: process.env.CI ? 1 : 0, // what passes only then is listed as flaky, and is a bug
  reporter: [['list']],
  use: {
    baseURL: server,
    actionTimeout: 15_000,
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      executablePath: browser,
      // Where fontconfig looks for a person's own fonts: ours has Hangul, which machines of tests lack.
      env: { ...process.env, XDG_DATA_HOME: join(__dirname, '../jaxviz/export') },
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    },
  },
  webServer: {
    command: 'jupyter lab --config jupyter_server_test_config.py',
    url: `${server}/lab`,
    timeout: 120_000,
    reuseExistingServer: !process.env.CI,
  },
});

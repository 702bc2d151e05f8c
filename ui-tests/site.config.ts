/** The tests of the built site, which need no Jupyter. */
import { defineConfig } from '@playwright/test';
import tests from './playwright.config';

const { webServer: _, ...common } = tests;

export default defineConfig({
  ...common,
  testDir: './site',
  fullyParallel: true,
  use: { ...common.use, baseURL: 'http://site.test/' },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.{ts,tsx}'],
    setupFiles: './test/layout.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

import type { test as galata } from '@jupyterlab/galata';
import type { test as playwright } from '@playwright/test';

/** A test that takes long and seldom fails without others. `make test-all` runs it, other commands list it as
 * skipped. */
export function slow<Test extends typeof galata | typeof playwright>(test: Test): Test {
  return process.env.TEST_ALL ? test : (test.skip as unknown as Test);
}

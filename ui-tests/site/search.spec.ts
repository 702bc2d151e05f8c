/** The site's search, with words that users type. */
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const SITE = '../.site/html';
const FIRST = 3;

/** The page that each word should lead to, among the first results. */
const ENGLISH: Record<string, string> = {
  recompile: 'pages/retrace',
  recompilation: 'pages/retrace',
  'cache miss': 'pages/retrace',
  retrace: 'pages/retrace',
  recompiled: 'pages/retrace',
  slow: 'faq',
  'slow compilation': 'pages/unrolled',
  unrolled: 'pages/unrolled',
  OOM: 'pages/memory',
  'out of memory': 'pages/memory',
  RESOURCE_EXHAUSTED: 'pages/memory',
  XlaRuntimeError: 'pages/memory',
  installation: 'install',
  install: 'install',
  conda: 'install',
  PyPI: 'install',
  uninstall: 'install',
  FAQ: 'faq',
  telemetry: 'faq',
  GPU: 'faq',
  share: 'faq',
  'VS Code': 'how-to/elsewhere',
  Colab: 'how-to/elsewhere',
  marimo: 'how-to/elsewhere',
  JupyterHub: 'how-to/environments',
  XProf: 'comparison',
  'Model Explorer': 'comparison',
  treescope: 'comparison',
  TensorBoard: 'comparison',
  jax_explain_cache_misses: 'comparison',
  options: 'reference/magics',
  'private names': 'develop/jax-developers',
  'JAX developers': 'develop/jax-developers',
  TracerBoolConversionError: 'pages/condition',
  ConcretizationTypeError: 'pages/number',
  TracerIntegerConversionError: 'pages/integer',
  TracerArrayConversionError: 'pages/numpy',
  NonConcreteBooleanIndexError: 'pages/mask',
  UnexpectedTracerError: 'pages/leak',
  'leaked tracer': 'pages/leak',
  KeyReuseError: 'pages/key',
  ShardingTypeError: 'pages/sharding-type',
  DuplicateSpecError: 'pages/specs',
  InconclusiveDimensionOperation: 'pages/symbolic',
  FloatingPointError: 'pages/nan',
  nan: 'pages/nan',
  OverflowError: 'pages/overflow',
  donate: 'pages/donation',
  donate_argnums: 'pages/donation',
  float64: 'pages/float64',
  x64: 'pages/float64',
  upcast: 'pages/upcast',
  'weak type': 'pages/weak-type',
  static_argnums: 'pages/static',
  hashable: 'pages/static',
  sharding: 'pages/sharding',
  'incompatible devices': 'pages/sharding',
  PartitionSpec: 'pages/specs',
  'all-gather': 'pages/collective',
  pallas: 'pages/pallas',
  vmap: 'pages/batch',
  'scan carry': 'pages/carry',
  'incompatible shapes': 'pages/shapes',
  'truth value': 'pages/condition-of-many',
  einsum: 'pages/einsum',
  immutable: 'pages/in-place',
  custom_vjp: 'pages/custom-rule',
  'random key': 'pages/key',
  pytree: 'pages/trees',
  gradient: 'pages/gradient',
  InvalidRngError: 'pages/module-key',
  TraceContextError: 'pages/module-state',
  'shape mismatch': 'pages/shapes',
  'compile time': 'pages/unrolled',
  'side effect': 'pages/leak',
  seed: 'pages/key',
  'dynamic shape': 'pages/shape-by-value',
  'mixed precision': 'pages/upcast',
  'gradient checkpointing': 'pages/residual',
  remat: 'pages/residual',
  unhashable: 'pages/static',
  'batch norm': 'pages/module-state',
  'ahead of time': 'pages/compiled',
  'dtype mismatch': 'pages/dtypes',
  preallocate: 'pages/memory',
};

const KOREAN: Record<string, string> = {
  recompilation: 'pages/retrace',
  retrace: 'pages/retrace',
  OOM: 'pages/memory',
  메모리: 'pages/memory',
  설치: 'install',
  conda: 'install',
  FAQ: 'faq',
  느린: 'faq',
  XProf: 'comparison',
  TracerBoolConversionError: 'pages/condition',
  UnexpectedTracerError: 'pages/leak',
  ConcretizationTypeError: 'pages/number',
  float64: 'pages/float64',
  vmap: 'pages/batch',
};

/** The parts of Sphinx's `searchtools.js` that answer a query. */
interface SphinxSearch {
  hasIndex(): boolean;
  _parseQuery(query: string): unknown[];
  _performSearch(...query: unknown[]): [docName: string, ...unknown[]][];
}
declare const Search: SphinxSearch;

for (const [language, expected] of [
  ['en', ENGLISH],
  ['ko', KOREAN],
] as const) {
  test(`words of users lead to the right page: ${language}`, async ({ page }) => {
    await page.route(/^https?:/, (route) => {
      const { pathname } = new URL(route.request().url());
      return route.fulfill({ path: join(SITE, decodeURIComponent(pathname)) });
    });
    await page.goto(`${language}/search.html`);
    await page.waitForFunction(() => Search.hasIndex());
    const found = await page.evaluate(
      ([words, first]) =>
        words.map((word) => {
          // Sphinx shows the last result first.
          const results = Search._performSearch(...Search._parseQuery(word)).slice(-first);
          return results.map(([docName]) => docName).reverse();
        }),
      [Object.keys(expected), FIRST] as const,
    );
    const wrong = Object.entries(expected)
      .map(([word, right], index) => ({ word, right, first: found[index] ?? [] }))
      .filter(({ right, first }) => !first.includes(right));
    expect(wrong).toEqual([]);
  });
}

// Bundles the anywidget, its stylesheet, what fetches both, and what the kernel draws pictures with, into
// jaxviz/static.
import * as esbuild from 'esbuild';

const development = process.argv.includes('--development');
const all = {
  bundle: true,
  target: ['es2022'],
  outdir: 'jaxviz/static',
  minify: !development,
  sourcemap: development ? 'inline' : false,
  legalComments: 'none',
  tsconfig: 'js/tsconfig.json',
  logLevel: 'info',
};
const contexts = await Promise.all([
  esbuild.context({
    ...all,
    entryPoints: { widget: 'js/src/hosts/widget.ts', loader: 'js/src/hosts/loader.ts' },
    format: 'esm',
  }),
  esbuild.context({
    ...all,
    entryPoints: { picture: 'js/src/hosts/kernel.ts' },
    format: 'iife',
    charset: 'utf8',
    sourcemap: false,
  }),
]);
for (const context of contexts) {
  if (process.argv.includes('--watch')) {
    await context.watch();
  } else {
    await context.rebuild();
    await context.dispose();
  }
}

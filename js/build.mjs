// Bundles the anywidget, its stylesheet, and what fetches both into jaxviz/static.
import * as esbuild from 'esbuild';

const development = process.argv.includes('--development');
const context = await esbuild.context({
  entryPoints: { widget: 'js/src/hosts/widget.ts', loader: 'js/src/hosts/loader.ts' },
  bundle: true,
  format: 'esm',
  target: ['es2022'],
  outdir: 'jaxviz/static',
  minify: !development,
  sourcemap: development ? 'inline' : false,
  legalComments: 'none',
  tsconfig: 'js/tsconfig.json',
  logLevel: 'info',
});
if (process.argv.includes('--watch')) {
  await context.watch();
} else {
  await context.rebuild();
  await context.dispose();
}

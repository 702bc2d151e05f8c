// Bundles the anywidget, its stylesheet, what fetches both, and what the kernel draws pictures with, into
// jaxviz/static.
import { writeFileSync } from 'node:fs';
import * as esbuild from 'esbuild';
import { bundled, PARTS } from './widget-bundle.mjs';

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

/** Writes the widget whenever its parts were built. */
const widget = {
  name: 'widget',
  setup(build) {
    build.onEnd(async (result) => {
      if (result.errors.length > 0) return;
      const { script, style, first, whole } = await bundled(result);
      writeFileSync('jaxviz/static/widget.js', script);
      writeFileSync('jaxviz/static/widget.css', style);
      const size = (bytes) => `${Math.round(bytes / 1000)} kB`;
      console.log(
        `widget: ${size(script.length + style.length)} sent, ${size(first)} of ${size(whole)} read before the first picture`,
      );
    });
  },
};

const contexts = await Promise.all([
  esbuild.context({
    ...all,
    entryPoints: { loader: 'js/src/hosts/loader.ts' },
    format: 'esm',
  }),
  esbuild.context({ ...PARTS, minify: all.minify, sourcemap: all.sourcemap, plugins: [widget] }),
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

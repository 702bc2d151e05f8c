// The anywidget: its script, which holds the view in parts (`src/hosts/boot.ts` reads them), and its stylesheet.
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import * as esbuild from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const all = {
  bundle: true,
  format: 'esm',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none',
  tsconfig: at('tsconfig.json'),
  write: false,
};

/** The options with which esbuild builds the parts; `bundled` makes the widget from its result. */
export const PARTS = {
  ...all,
  minify: true,
  entryPoints: { widget: at('src/hosts/widget.ts') },
  outdir: at('.'),
  entryNames: '[name]-[hash]',
  splitting: true,
  metafile: true,
  // V8 then compiles a part while it reads it, and not function by function while it draws the first picture.
  banner: { js: '//# allFunctionsCalledOnLoad' },
};

/** The texts of `widget.js` and `widget.css`, and how many bytes of script are read before the first
 * picture (`first`) and in all (`whole`). */
export async function bundled({ outputFiles, metafile }) {
  const texts = outputFiles.map(({ path, text }) => [path.match(/[^/\\]*$/)[0], text]);
  const [, style] = texts.find(([name]) => name.endsWith('.css'));
  const scripts = texts.filter(([name]) => name.endsWith('.js'));
  const parts = scripts.map(([name, text]) => [name.slice(0, -3), packed(text)]);
  const [first] = parts.map(([name]) => name).filter((name) => name.startsWith('widget-'));
  return {
    script: await booted(Object.fromEntries(parts), first),
    style,
    first: sizeAtOnce(metafile, first),
    whole: scripts.reduce((sum, [, text]) => sum + text.length, 0),
  };
}

/** A part as `boot.ts` reads it. What is imported when it is needed, is asked of `boot.ts`. */
function packed(text) {
  const asking = text.replace(/\bimport\("\.\/([\w-]+)\.js"\)/g, 'jaxvizParts.read("$1")');
  return deflateSync(asking, { level: 9 }).toString('base64');
}

async function booted(parts, first) {
  const { outputFiles } = await esbuild.build({
    ...all,
    minify: true,
    entryPoints: [at('src/hosts/boot.ts')],
    define: { PARTS: JSON.stringify(parts), FIRST: JSON.stringify(first) },
  });
  return outputFiles[0].text;
}

/** The bytes of a part and of all that it imports at once. */
function sizeAtOnce({ outputs }, first) {
  const paths = new Set(Object.keys(outputs).filter((path) => path.endsWith(`${first}.js`)));
  for (const path of paths) {
    for (const { kind, path: needed } of outputs[path].imports) {
      if (kind === 'import-statement') paths.add(needed);
    }
  }
  return [...paths].reduce((sum, path) => sum + outputs[path].bytes, 0);
}

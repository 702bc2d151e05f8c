// A module of the page as the sources have it now. Bench and gallery share it.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The exports of a module, by its path from the root of the project. */
export async function fromSource(module) {
  const { outputFiles } = await build({
    entryPoints: [path(module)],
    tsconfig: path('js/tsconfig.json'),
    bundle: true,
    format: 'esm',
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

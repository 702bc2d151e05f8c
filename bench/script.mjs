// How large the widget is. Prints JSON, bytes: `first` of script that are read before the first
// picture, and `sent` of script and style.
import { build } from 'esbuild';
import { bundled, PARTS } from '../js/widget-bundle.mjs';

const { script, style, first } = await bundled(await build(PARTS));
console.log(JSON.stringify({ first, sent: script.length + style.length }));

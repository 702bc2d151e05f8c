/** Programs as they travel from Python: `jaxviz/display/wire` writes what is read here. */

import { __ } from '../../language';
import { type Program, VERSION } from '../../schema';
import { completed } from '../upgrade';
import { check } from './check-program';
import { Damaged, Reader } from './wire-columns';
import { restoreOperands } from './wire-operands';
import { restoreText } from './wire-text';

/** Bytes of the largest data that is read: a few bytes deflated can hold more than there is memory. */
const LARGEST = 64_000_000;

/** Read a program from its wire form. Rejects with one sentence what is none, or does not fit
 * together: a file may bring anything. */
export async function decode(bytes: Uint8Array<ArrayBuffer>, most = LARGEST): Promise<Program> {
  const reader = new Reader(await inflated(bytes, most));
  const [program] = reader.records('Program', 1) as [Program];
  reader.end();
  restoreOperands(program);
  check(program);
  completed(program, program.version);
  program.stages.forEach(restoreText);
  return { ...program, version: VERSION };
}

/** The bytes that were deflated (zlib, RFC 1950). Rejects with one sentence where they are none, or
 * more than `most`. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Damaged();
    });
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(__('It is larger than any that jaxviz makes.'));
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The bytes of a base64 text. Throws where it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    throw new Damaged();
  }
}

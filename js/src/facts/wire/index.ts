/** Reads programs as Python sends them: `jaxviz/display/wire` writes this form. */

import { __ } from '../../language';
import { type Program, VERSION } from '../../schema';
import { completed } from '../upgrade';
import { check } from './check-program';
import { Damaged, Reader } from './wire-columns';
import { restoreOperands } from './wire-operands';
import { restoreText } from './wire-text';

/** The largest program that is read, bytes after inflation: a few bytes of deflated data can expand
 * to more than there is memory. */
const LARGEST_PROGRAM = 64_000_000;

/** Reads a program. Rejects with one sentence what is no program or is not consistent, since a file
 * may contain anything. */
export async function decode(
  bytes: Uint8Array<ArrayBuffer>,
  most = LARGEST_PROGRAM,
): Promise<Program> {
  const reader = new Reader(await inflated(bytes, most));
  const [program] = reader.records('Program', 1) as [Program];
  reader.end();
  restoreOperands(program);
  check(program);
  completed(program, program.version);
  program.stages.forEach(restoreText);
  return { ...program, version: VERSION };
}

/** Inflates bytes (zlib, RFC 1950). Rejects with one sentence where they are damaged or give more
 * than `most` bytes. */
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

/** The bytes of a base64 text. Throws where it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    throw new Damaged();
  }
}

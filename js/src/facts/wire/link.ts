/** A program as the text of a link: JSON, deflated, in base64url. A browser never sends the part of an address that
 * contains it. */
import type { Program } from '../../schema';
import { fromBase64, inflated, readSaved, type Saved } from '.';

/** The most bytes of JSON that a link expands to. */
const LARGEST_LINK = 16_000_000;

/** The text of a program. */
export async function linkText(program: Program): Promise<string> {
  const json = new Blob([JSON.stringify(program)]).stream();
  const deflated = new Response(json.pipeThrough(new CompressionStream('deflate')));
  const chars = Array.from(new Uint8Array(await deflated.arrayBuffer()), (byte) =>
    String.fromCharCode(byte),
  );
  return btoa(chars.join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Reads such a text. Rejects with one sentence if it is anything else. */
export async function readLinkText(text: string): Promise<Saved> {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return readSaved(new TextDecoder().decode(await inflated(bytes, LARGEST_LINK)));
}

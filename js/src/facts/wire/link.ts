/** A program as the text of a link: JSON, deflated, in base64url. A browser never sends the part of an address that
 * contains it. */
import { __ } from '../../language';
import type { Program } from '../../schema';
import { sizeText } from '../text/describe';
import { fromBase64, inflated } from '.';
import { readSaved, type Saved } from './saved-file';

/** The most bytes of JSON that a link expands to. */
const LARGEST_LINK = 16_000_000;

/** The longest link, characters. Longer ones are cut off by chats and mail programs. */
const LONGEST_LINK = 32_000;

/** The address at which the viewer of a site shows a program. Rejects with one sentence if it is too long. */
export async function linkTo(program: Program, site: string): Promise<string> {
  const link = new URL(`view.html#data=${await linkText(program)}`, site).href;
  if (link.length <= LONGEST_LINK) return link;
  throw new Error(
    __(
      'The link would be %1 long. Many programs cut off links above %2: save JSON instead.',
      sizeText(link.length),
      sizeText(LONGEST_LINK),
    ),
  );
}

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

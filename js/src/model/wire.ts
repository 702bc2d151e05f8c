import { type Program, VERSION } from '../schema';

/** Read a program from its wire form: zlib (RFC 1950) of the JSON of a `Program`. */
export async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<Program> {
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const program = JSON.parse(await new Response(inflated).text()) as Program;
  if (program.version !== VERSION) {
    throw new Error(
      `This output is of format ${program.version}; the installed jaxviz reads format ${VERSION}.`,
    );
  }
  return program;
}

/** The bytes of a base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

import { type Program, VERSION } from '../schema';

/** Bytes of the largest JSON that is read: a few bytes deflated can hold more than there is memory. */
const LARGEST = 256_000_000;

/** Read a program from its wire form: zlib (RFC 1950) of the JSON of a `Program`. */
export async function decode(bytes: Uint8Array<ArrayBuffer>, most = LARGEST): Promise<Program> {
  const inflated = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .pipeThrough(atMost(most));
  const program = JSON.parse(await new Response(inflated).text()) as Program;
  if (program.version !== VERSION) {
    throw new Error(
      `This output is of format ${program.version}; the installed jaxviz reads format ${VERSION}.`,
    );
  }
  return program;
}

function atMost(most: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, passed) {
      seen += chunk.byteLength;
      if (seen > most) throw new Error('It is larger than any that jaxviz makes.');
      passed.enqueue(chunk);
    },
  });
}

/** The bytes of a base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, fromBase64 } from '../src/facts/wire';
import { type Program, RELEASE, type Stage, VERSION } from '../src/schema';
import { golden, SENT } from './fixtures';

test.each([...SENT])('%s is read as it was written', async (name, data) => {
  expect(await decode(fromBase64(data))).toEqual(golden(name === 'odd' ? 'wire/odd' : name));
});

const SENTENCE =
  /^(Its data is damaged|Its parts contradict|It is larger|This output is of format)/;

describe('data that nobody wrote is refused with a sentence', () => {
  const refused = (data: Promise<Program>) => expect(data).rejects.toThrow(SENTENCE);

  test.each(['', 'AAAA', 'eJw=', 'eJwDAAAAAAE='])('%j', (data) =>
    refused(decode(fromBase64(data))),
  );

  test('what is no base64', () => {
    expect(() => fromBase64('<b>')).toThrow('Its data is damaged.');
  });

  test('another version', async () => {
    const bytes = await inflated('lesson');
    bytes[0] = 9;
    await expect(decode(await deflated(bytes))).rejects.toThrow(
      `This output is of format 9. This page has jaxviz ${RELEASE}, which reads formats up to ${VERSION}: run pip`,
    );
  });

  test('JSON, as of an early version', async () => {
    await refused(decode(await deflated(new TextEncoder().encode('{"version":1}'))));
  });

  test('what inflates without end', async () => {
    const bytes = await inflated('lesson');
    await expect(decode(await deflated(bytes), bytes.length)).resolves.toEqual(golden('lesson'));
    await expect(decode(await deflated(bytes), bytes.length - 1)).rejects.toThrow('It is larger');
  });

  test('what was cut off or has more behind it', async () => {
    const bytes = await inflated('lesson');
    for (let length = 0; length < bytes.length; length += 1) {
      await refused(decode(await deflated(bytes.slice(0, length))));
    }
    await refused(decode(await deflated(Uint8Array.of(...bytes, 0))));
  });

  test('any bytes changed: refused, or a program that holds together', async () => {
    const whole = await inflated('while_newton');
    const place = fc.nat(whole.length - 1);
    const changes = fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const bytes = whole.slice();
        for (const [at, byte] of changed) bytes[at] = byte;
        const read = await decode(await deflated(bytes)).catch((reason: Error) => reason);
        if (read instanceof Error) expect(read.message).toMatch(SENTENCE);
        else for (const stage of read.stages) expect(spansWithin(stage)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

function spansWithin({ graphs, text }: Stage): boolean {
  return graphs.every(({ eqns }) =>
    eqns.every(({ span }) => {
      const [start, stop] = span ?? [0, 0];
      return start !== undefined && stop !== undefined && start <= stop && stop <= text.length;
    }),
  );
}

async function inflated(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const data = SENT.get(name) ?? '';
  return through(fromBase64(data), new DecompressionStream('deflate'));
}

function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new CompressionStream('deflate'));
}

async function through(bytes: Uint8Array<ArrayBuffer>, change: GenericTransformStream) {
  const changed = new Blob([bytes]).stream().pipeThrough(change);
  return new Uint8Array(await new Response(changed).arrayBuffer());
}

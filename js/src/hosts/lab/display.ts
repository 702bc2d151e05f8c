import { type Display, VERSION } from '../../schema';

/** Characters of the largest output that is read; jaxviz saves at most 200 kB. */
const LARGEST = 4_000_000;

/** A display as it lies in a notebook's file, or one sentence on why it cannot be shown. */
export function readDisplay(data: unknown): Display | string {
  if (!isRecord(data) || !Number.isInteger(data.version)) {
    return 'This output is not one of jaxviz: run the cell again to see its program.';
  }
  if (data.version !== VERSION) {
    return `This output is of format ${data.version}, and the installed jaxviz reads format ${VERSION}: run the cell again, or install the jaxviz that wrote it.`;
  }
  const { program, partial, stage, key } = data;
  if (
    typeof program !== 'string' ||
    typeof stage !== 'string' ||
    typeof key !== 'string' ||
    !(partial === null || typeof partial === 'string')
  ) {
    return 'This output of jaxviz is damaged: run the cell again to see its program.';
  }
  if (program.length > LARGEST) {
    return 'This output is larger than any that jaxviz saves, and is not read: run the cell again.';
  }
  return { version: VERSION, program, partial, stage, key };
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

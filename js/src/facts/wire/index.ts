/** Reads the data of the kernel and of saved files: programs, which `jaxviz/display/wire` writes as columns, and
 * logs, reports and messages to the panel, which are JSON. Sent data is deflated. */
import { __ } from '../../language';
import { type Log, type Panel, type Program, type Quiz, VERSION } from '../../schema';
import { flowOf } from '../flow';
import { isEventKind } from '../kinds';
import { check } from './check-program';
import { completed, isRecord, upgraded } from './records';
import { restoreOperands, restoreText } from './short-forms';
import { Damaged, Reader } from './wire-columns';

/** The largest program that is read, bytes after inflation: a few bytes of deflated data can expand to more than the
 * memory. */
const LARGEST_PROGRAM = 64_000_000;

/** Reads a program. Rejects with one sentence if it is no program or inconsistent, since a file may contain anything. */
export async function decode(
  bytes: Uint8Array<ArrayBuffer>,
  most = LARGEST_PROGRAM,
): Promise<Program> {
  return inTurns(read(await inflated(bytes, most)));
}

/** Reads a program, with a pause wherever one is possible. */
function* read(bytes: Uint8Array): Generator<void, Program> {
  const reader = new Reader(bytes);
  const [program] = (yield* reader.records('Program', 1)) as [Program];
  reader.end();
  yield* restoreOperands(program);
  yield;
  check(program);
  completed(program, program.version);
  for (const stage of program.stages) {
    yield;
    yield* restoreText(stage);
    for (const graph of stage.graphs) {
      yield;
      // The first view asks who uses each value of a graph: it is found here, where there may be a pause.
      flowOf(graph);
    }
  }
  yield;
  return { ...program, version: VERSION };
}

/** The most ms that the page waits for the reading. */
const LONGEST_TURN = 10;

/** Does work that may pause, and lets the page respond when it has waited long enough. */
async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  let begun = performance.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    if (performance.now() - begun < LONGEST_TURN) continue;
    await afterOthers();
    begun = performance.now();
  }
}

/** Resolves once the waiting work of the page is done. It is not a timer, which a page in the background delays. */
function afterOthers(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((next) => {
    port1.onmessage = () => {
      port1.close();
      next();
    };
    port2.postMessage(null);
  });
}

/** Inflates bytes (zlib, RFC 1950). Rejects with one sentence if they are damaged or expand to more than `most`
 * bytes. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream('deflate');
  const writer = writable.getWriter();
  // Damaged data is reported where it is read.
  for (const done of [writer.write(bytes), writer.close()]) done.catch(() => undefined);
  const reader = readable.getReader();
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
      throw new Error(__('It is larger than any output of jaxviz.'));
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

/** The bytes of a base64 text. Throws if it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    throw new Damaged();
  }
}

/** The largest log that is read, bytes. The largest that jaxviz writes has a thousand events, about 1 MB. */
const LARGEST_LOG = 16_000_000;

/** The largest time in a log, seconds (since 1970, or of a duration): beyond any clock. */
const MOST_SECONDS = 1e12;

/** Reads a log. Rejects with one sentence if it is no log or inconsistent, since a file may contain anything. */
export const readLog = async (bytes: Uint8Array<ArrayBuffer>): Promise<Log> =>
  logIn(await readRecord(bytes));

/** A log of this format or an earlier one. Throws one sentence for anything else. */
export function logIn(sent: unknown): Log {
  const version: unknown = Object(sent).version;
  const data = typeof version === 'number' ? upgraded(sent, 'Log', version) : sent;
  if (!isRecord(data, 'Log')) throw new Error(__('Its data is damaged.'));
  const log = data as Log;
  if (!fitsTogether(log)) throw new Error(__('Its parts contradict one another.'));
  return log;
}

/** Reads a question of this format or an earlier one. Rejects with one sentence if it is none. */
export async function readQuiz(bytes: Uint8Array<ArrayBuffer>): Promise<Quiz> {
  const sent = await readRecord(bytes);
  const version: unknown = Object(sent).version;
  const quiz = typeof version === 'number' ? upgraded(sent, 'Quiz', version) : sent;
  if (!isRecord(quiz, 'Quiz')) throw new Error(__('Its data is damaged.'));
  return quiz as Quiz;
}

/** The value of deflated JSON. */
export async function readRecord(
  bytes: Uint8Array<ArrayBuffer>,
  most = LARGEST_LOG,
): Promise<unknown> {
  const text = await inflated(bytes, most);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch {
    throw new Error(__('Its data is damaged.'));
  }
}

/** True if each cause names a function of the log, and each time is possible on a clock. */
function fitsTogether({ events, functions, causes, ops, apart, ...log }: Log): boolean {
  const numbers = new Set(events.map(({ number }) => number));
  return (
    [log.start, log.seconds, log.making, log.slice, apart.seconds].every(isTime) &&
    functions.every(({ seconds }) => isTime(seconds)) &&
    ops.every(({ seconds, spans }) => isTime(seconds) && spans.every(isTime)) &&
    numbers.size === events.length &&
    events.every(({ kind, start, seconds }) => {
      return isEventKind(kind) && isTime(start) && isTime(seconds);
    }) &&
    causes.every(({ function: index, kind, seconds }) => {
      return isEventKind(kind) && isTime(seconds) && index >= 0 && index < functions.length;
    })
  );
}

const isTime = (seconds: number): boolean => seconds >= 0 && seconds <= MOST_SECONDS;

/** The largest message that is read, bytes after inflation. A log of a thousand events takes about 1 MB. */
const LARGEST_PANEL = 16_000_000;

/** Reads a kernel's message to the panel: JSON, deflated. Rejects with one sentence if it is not valid or
 * inconsistent. */
export async function readPanel(bytes: Uint8Array<ArrayBuffer>): Promise<Panel> {
  const data = await readRecord(bytes, LARGEST_PANEL);
  if (!isRecord(data, 'Panel')) throw new Error(__("The kernel's answer is damaged."));
  const panel = data as Panel;
  if (panel.version !== VERSION || !fitsTogether(panel.log)) {
    throw new Error(__("Parts of the kernel's answer contradict one another."));
  }
  return panel;
}

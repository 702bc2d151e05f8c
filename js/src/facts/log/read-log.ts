/** Logs as they travel from Python: JSON, deflated. */

import { __ } from '../../language';
import type { Log } from '../../schema';
import { upgraded } from '../upgrade';
import { inflated } from '../wire/index';
import { isRecord } from '../wire/is-record';

/** Bytes of the largest log that is read; one of jaxviz has a thousand events, about 1 MB. */
const LARGEST = 16_000_000;

/** Seconds that a log tells of, since 1970 or of its own: what is more, no clock said. */
const MOST_SECONDS = 1e12;

const KINDS = ['trace', 'lower', 'compile'];

/** Read a log from its JSON, deflated. Rejects with one sentence what is none, or does not fit
 * together: a file may bring anything. */
export async function readLog(bytes: Uint8Array<ArrayBuffer>, most = LARGEST): Promise<Log> {
  const sent = parsed(await inflated(bytes, most));
  const version: unknown = Object(sent).version;
  const data = typeof version === 'number' ? upgraded(sent, 'Log', version) : sent;
  if (!isRecord(data, 'Log')) throw new Error(__('Its data is damaged.'));
  const log = data as Log;
  if (!fitsTogether(log)) throw new Error(__('Its data does not fit together.'));
  return log;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error(__('Its data is damaged.'));
  }
}

/** Whether each cause is of a function of the log, and all times are some that a clock can say. */
export function fitsTogether({ events, functions, causes, ops, apart, ...log }: Log): boolean {
  const numbers = new Set(events.map(({ number }) => number));
  return (
    [log.start, log.seconds, log.making, log.slice, apart.seconds].every(isTime) &&
    functions.every(({ seconds }) => isTime(seconds)) &&
    ops.every(({ seconds, spans }) => isTime(seconds) && spans.every(isTime)) &&
    numbers.size === events.length &&
    events.every(({ kind, start, seconds }) => {
      return KINDS.includes(kind) && isTime(start) && isTime(seconds);
    }) &&
    causes.every(({ function: index, kind, seconds }) => {
      return KINDS.includes(kind) && isTime(seconds) && index >= 0 && index < functions.length;
    })
  );
}

const isTime = (seconds: number): boolean => seconds >= 0 && seconds <= MOST_SECONDS;

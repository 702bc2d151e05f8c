/** Reads a log as Python sends it: deflated JSON. */

import { __ } from '../../language';
import type { Log } from '../../schema';
import { upgraded } from '../upgrade';
import { inflated } from '../wire/index';
import { isRecord } from '../wire/is-record';

/** The largest log that is read, bytes. The largest that jaxviz writes has a thousand events, about
 * 1 MB. */
const LARGEST_LOG = 16_000_000;

/** The largest time in a log, seconds (since 1970, or of a duration): no clock says more. */
const MOST_SECONDS = 1e12;

const EVENT_KINDS = ['trace', 'lower', 'compile'];

/** Reads a log. Rejects with one sentence what is no log or does not fit together, since a file may
 * contain anything. */
export async function readLog(bytes: Uint8Array<ArrayBuffer>, most = LARGEST_LOG): Promise<Log> {
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

/** Whether each cause names a function of the log, and each time is one that a clock can show. */
export function fitsTogether({ events, functions, causes, ops, apart, ...log }: Log): boolean {
  const numbers = new Set(events.map(({ number }) => number));
  return (
    [log.start, log.seconds, log.making, log.slice, apart.seconds].every(isTime) &&
    functions.every(({ seconds }) => isTime(seconds)) &&
    ops.every(({ seconds, spans }) => isTime(seconds) && spans.every(isTime)) &&
    numbers.size === events.length &&
    events.every(({ kind, start, seconds }) => {
      return EVENT_KINDS.includes(kind) && isTime(start) && isTime(seconds);
    }) &&
    causes.every(({ function: index, kind, seconds }) => {
      return (
        EVENT_KINDS.includes(kind) && isTime(seconds) && index >= 0 && index < functions.length
      );
    })
  );
}

const isTime = (seconds: number): boolean => seconds >= 0 && seconds <= MOST_SECONDS;

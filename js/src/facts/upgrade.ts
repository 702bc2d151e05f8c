/** Fills in what earlier formats lack, so that outputs saved by an earlier jaxviz are read as if
 * this one had saved them. The table is in `jaxviz/schema/upgrade.py`. */

import { __ } from '../language';
import { ADDED, type Program, RECORDS, RELEASE, VERSION } from '../schema';
import { complete } from './format1';
import { REF_PREFIX, type RecordName, type Schema } from './wire/is-record';

type AbsentValues = ReadonlyMap<string, unknown>;

/** The values for all fields that a format does not have yet, by full name (`Eqn.trips`). Throws
 * one sentence where this jaxviz does not know the format. */
export function missing(version: number): AbsentValues {
  if (!Number.isInteger(version) || version < 1) throw new Error(__('Its data is damaged.'));
  if (version > VERSION) throw new Error(newer(version));
  const since = Object.entries<object>(ADDED).filter(([format]) => Number(format) > version);
  return new Map(since.flatMap(([, fields]) => Object.entries(fields)));
}

/** Says that an output is in a format newer than this page. `by` is the version of jaxviz that
 * wrote it, where that is known. */
export function newer(version: number, by: unknown = ''): string {
  const said =
    typeof by === 'string' && /^[\w.+-]{1,30}$/.test(by)
      ? __('This output is of format %1, written by jaxviz %2.', version, by)
      : __('This output is of format %1.', version);
  return `${said} ${toUpdate()}`;
}

/** Says how to update a page whose jaxviz is older than the kernel's or the output's. */
export const toUpdate = (): string =>
  __(
    'This page has jaxviz %1, which reads formats up to %2: run pip install --upgrade --no-deps jupyterlab-jaxviz where Jupyter’s server runs, and load the page again.',
    RELEASE,
    VERSION,
  );

/** The JSON of a record with the fields that its format lacked. Anything else is returned as it
 * is. */
export function upgraded(data: unknown, name: RecordName, version: number): unknown {
  const filled = filledRecord(data, name, missing(version));
  return isObject(filled) ? { ...filled, version: VERSION } : filled;
}

/** Completes a program of an earlier format, in place, with what follows from the rest of it. */
export function completed(program: Program, version: number): Program {
  if (version < 2) complete(program);
  return program;
}

function filledRecord(data: unknown, name: RecordName, absent: AbsentValues): unknown {
  if (!isObject(data) || absent.size === 0) return data;
  const given = new Map(Object.entries(data));
  for (const [field, schema] of Object.entries<Schema>(RECORDS[name])) {
    const full = `${name}.${field}`;
    if (given.has(field)) given.set(field, filled(given.get(field), schema, absent));
    else if (absent.has(full)) given.set(field, absent.get(full));
  }
  return Object.fromEntries(given);
}

function filled(data: unknown, { anyOf, items, $ref }: Schema, absent: AbsentValues): unknown {
  if ($ref !== undefined)
    return filledRecord(data, $ref.slice(REF_PREFIX.length) as RecordName, absent);
  if (items && Array.isArray(data)) return data.map((one) => filled(one, items, absent));
  const nested = anyOf?.find((one) => one.$ref ?? one.items);
  return nested ? filled(data, nested, absent) : data;
}

function isObject(data: unknown): data is object {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

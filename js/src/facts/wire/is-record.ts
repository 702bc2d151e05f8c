/** Whether JSON is a record of jaxviz: what a notebook's file brings may be anything. */
import { RECORDS } from '../../schema';

/** The part of JSON Schema in which the records are written. */
export interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
}

export type Name = keyof typeof RECORDS;

export const REF = '#/definitions/';

/** Most items of a list: more than any record of ours holds, and few enough to draw. */
const MOST = 10_000;

const SCHEMAS = new Map(
  Object.entries(RECORDS).map(([name, fields]) => [name, Object.entries<Schema>(fields)]),
);

/** Whether a value has all fields of the record, each of its type, and no others. */
export function isRecord(value: unknown, name: Name): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = SCHEMAS.get(name) ?? [];
  const found = new Map<string, unknown>(Object.entries(value));
  return (
    found.size === fields.length &&
    fields.every(([field, schema]) => found.has(field) && fits(found.get(field), schema))
  );
}

function fits(value: unknown, { type, anyOf, items, $ref }: Schema): boolean {
  if (anyOf) return anyOf.some((one) => fits(value, one));
  if ($ref !== undefined) return isRecord(value, $ref.slice(REF.length) as Name);
  if (items)
    return Array.isArray(value) && value.length <= MOST && value.every((one) => fits(one, items));
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

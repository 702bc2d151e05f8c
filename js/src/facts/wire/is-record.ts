/** Checks JSON against the schema of jaxviz's records, since a notebook's file may contain
 * anything. */
import { RECORDS } from '../../schema';

/** The subset of JSON Schema that the schemas of records use. */
export interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
}

export type RecordName = keyof typeof RECORDS;

export const REF_PREFIX = '#/definitions/';

/** The most items of a list: more than any record of ours has, and few enough to draw. */
const MOST_LIST_ITEMS = 10_000;

const SCHEMAS = new Map(
  Object.entries(RECORDS).map(([name, fields]) => [name, Object.entries<Schema>(fields)]),
);

/** Whether a value has all fields of the record, each with its type, and no others. */
export function isRecord(value: unknown, name: RecordName): boolean {
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
  if ($ref !== undefined) return isRecord(value, $ref.slice(REF_PREFIX.length) as RecordName);
  if (items)
    return (
      Array.isArray(value) &&
      value.length <= MOST_LIST_ITEMS &&
      value.every((one) => fits(one, items))
    );
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

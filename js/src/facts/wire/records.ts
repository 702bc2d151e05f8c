/** Reads JSON as records of this format: checks it against the schema, and adds the fields that earlier formats lack. */
import { __ } from '../../language';
import {
  ADDED,
  DOTS,
  type Dot,
  type Eqn,
  type Groups,
  PATTERNS,
  type Pairs,
  type Program,
  RECORDS,
  RELEASE,
  RENAMED,
  REPORTS_OF_FORMAT_5,
  RESULTS,
  ROLES,
  SIDES,
  VERSION,
} from '../../schema';

/** Gives the matrix products and collectives of a program their attributes, read from their params, in place. */
function addAttributes({ stages }: Program): void {
  for (const { kind, graphs } of stages) {
    for (const eqn of graphs.flatMap(({ eqns }) => eqns)) {
      eqn.attributes = attributesOf(eqn, kind === 'jaxpr');
    }
  }
}

function attributesOf({ op, params }: Eqn, isJaxpr: boolean): Eqn['attributes'] {
  const whole = params.filter(({ value, size }) => size <= [...value].length);
  const texts = new Map(whole.map(({ name, value }) => [name, value]));
  const pairs = isJaxpr ? undefined : texts.get('source_target_pairs');
  if (pairs !== undefined) return pairsOf(pairs);
  const groups = isJaxpr ? undefined : texts.get('replica_groups');
  if (groups !== undefined) return groupsOf(groups);
  return DOTS.includes(op) ? dotOf(texts) : null;
}

function dotOf(texts: ReadonlyMap<string, string>): Dot | null {
  const named = texts.get('dot_dimension_numbers');
  const lists =
    named !== undefined
      ? SIDES.map(([inStablehlo]) => listNamed(inStablehlo, named))
      : texts.has('lhs_contracting_dims')
        ? SIDES.map(([, inHlo]) => texts.get(inHlo) ?? '')
        : found('list', texts.get('dimension_numbers') ?? '').map(([, list = '']) => list);
  if (lists.length !== SIDES.length) return null;
  const [lhs, rhs, lhs_batch, rhs_batch] = lists.map(numbersIn) as [
    number[],
    number[],
    number[],
    number[],
  ];
  return { kind: 'dot', lhs, rhs, lhs_batch, rhs_batch };
}

function groupsOf(text: string): Groups {
  const [count, size] = sizesOf(text);
  return {
    kind: 'groups',
    axes: [],
    count,
    size,
    devices: [],
    dims: [],
    order: [],
    dimensions: [],
  };
}

/** The number of groups, and the number of devices in each. */
function sizesOf(text: string): [number, number] {
  const [mesh] = found('mesh', text);
  if (mesh) {
    const [, axes = '', used = ''] = mesh;
    const sizes = new Map(found('axis', axes).map(([, name, size]) => [name, Number(size ?? 0)]));
    const each = used.includes(':')
      ? 0
      : product(found('axis', used).map(([, name]) => sizes.get(name) ?? 0));
    return each === 0 ? [0, 0] : [Math.floor(product([...sizes.values()]) / each), each];
  }
  const [shape] = found('shape', text);
  if (shape) return [Number(shape[1]), Number(shape[2])];
  const groups = found('list', text)
    .map(([, list = '']) => numbersIn(list))
    .filter(({ length }) => length > 0);
  return [groups.length, Math.max(0, ...groups.map(({ length }) => length))];
}

function pairsOf(text: string): Pairs {
  const pairs = found('list', text)
    .map(([, list = '']) => numbersIn(list))
    .filter(({ length }) => length === 2);
  const side = (at: number) => pairs.map((pair) => pair[at] as number);
  return { kind: 'pairs', axes: [], sources: side(0), targets: side(1) };
}

const found = (name: keyof typeof PATTERNS, text: string): RegExpMatchArray[] => [
  ...text.matchAll(new RegExp(PATTERNS[name], 'g')),
];

const listNamed = (name: string, text: string): string =>
  found('named_list', text).find(([, found]) => found === name)?.[2] ?? '';

const numbersIn = (text: string): number[] =>
  found('number', text).map(([digits]) => Number(digits));

const product = (numbers: readonly number[]): number =>
  numbers.reduce((all, number) => all * number, 1);

/** The subset of JSON Schema that the schemas of records use. */
export interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

export type RecordName = keyof typeof RECORDS;

export const REF_PREFIX = '#/definitions/';

/** The most items of a list: more than any record of jaxviz has, and few enough to draw. */
const MOST_LIST_ITEMS = 10_000;

const SCHEMAS = new Map(
  Object.entries(RECORDS).map(([name, fields]) => [name, Object.entries<Schema>(fields)]),
);

/** True if a value has all fields of the record, each with its type, and no others. */
export function isRecord(value: unknown, name: RecordName, most = MOST_LIST_ITEMS): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = SCHEMAS.get(name) ?? [];
  const found = new Map<string, unknown>(Object.entries(value));
  return (
    found.size === fields.length &&
    fields.every(([field, schema]) => found.has(field) && fits(found.get(field), schema, most))
  );
}

/** True if a value matches a schema. */
export function fits(value: unknown, schema: Schema, most = MOST_LIST_ITEMS): boolean {
  const { type, anyOf, items, $ref } = schema;
  if (anyOf) return anyOf.some((one) => fits(value, one, most));
  if (schema.enum) return schema.enum.includes(value);
  if ($ref !== undefined) return isRecord(value, $ref.slice(REF_PREFIX.length) as RecordName, most);
  if (items)
    return (
      Array.isArray(value) && value.length <= most && value.every((one) => fits(one, items, most))
    );
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

type AbsentValues = ReadonlyMap<string, unknown>;

/** The values of all fields that a format lacks, by full name (`Eqn.trips`). Throws one sentence if this jaxviz does
 * not know the format. */
export function missing(version: number): AbsentValues {
  if (!Number.isInteger(version) || version < 1) throw new Error(__('Its data is damaged.'));
  if (version > VERSION) throw new Error(newer(version));
  const since = Object.entries<object>(ADDED).filter(([format]) => Number(format) > version);
  return new Map(since.flatMap(([, fields]) => Object.entries(fields)));
}

/** A sentence: the output's format is newer than this page. `by` is the version of jaxviz that wrote it, if known. */
export function newer(version: number, by: unknown = ''): string {
  const origin =
    typeof by === 'string' && /^[\w.+-]{1,30}$/.test(by)
      ? __('This output is of format %1, written by jaxviz %2.', version, by)
      : __('This output is of format %1.', version);
  return `${origin} ${toUpdate()}`;
}

/** A sentence that says how to update a page whose jaxviz is older than the kernel's or the output's. */
export const toUpdate = (): string =>
  __(
    'This page has jaxviz %1, which reads formats up to %2: run pip install --upgrade --no-deps jupyterlab-jaxviz where Jupyter’s server runs, and load the page again.',
    RELEASE,
    VERSION,
  );

/** The JSON of a record with the fields that its format lacked. Anything else is returned unchanged. */
export function upgraded(data: unknown, name: RecordName, version: number): unknown {
  const absent = missing(version);
  const renewed = name === 'Display' && version < 6 ? withReport(data, absent) : data;
  const filled = filledRecord(renewed, name, absent);
  return isObject(filled) ? { ...filled, version: VERSION } : filled;
}

/** A display of format 5 or earlier, which has a field for each kind of report, with the field `report`. */
function withReport(data: unknown, absent: AbsentValues): unknown {
  const fields = new Map(Object.entries(data ?? {}));
  for (const [field, record] of Object.entries(REPORTS_OF_FORMAT_5)) {
    const value = fields.get(field) ?? null;
    if (value !== null) fields.set('report', { ...value, tool: absent.get(`${record}.tool`) });
  }
  return Object.fromEntries(fields);
}

/** Completes a program of an earlier format, in place, with values that follow from the rest of it. */
export function completed(program: Program, version: number): Program {
  if (version < 2) complete(program);
  if (version < 6) addAttributes(program);
  return program;
}

function filledRecord(data: unknown, name: RecordName, absent: AbsentValues): unknown {
  if (name === 'Sentence' && typeof data === 'string' && absent.has('Sentence.key'))
    return filledRecord({ text: data }, name, absent);
  if (!isObject(data) || absent.size === 0) return data;
  const fields = new Map(
    Object.entries(data).map(([key, value]) => [RENAMED[`${name}.${key}`] ?? key, value]),
  );
  for (const [field, schema] of Object.entries<Schema>(RECORDS[name])) {
    const full = `${name}.${field}`;
    if (fields.has(field)) fields.set(field, filled(fields.get(field), schema, absent));
    else if (absent.has(full)) fields.set(field, absent.get(full));
  }
  return Object.fromEntries(fields);
}

function filled(data: unknown, { anyOf, items, $ref }: Schema, absent: AbsentValues): unknown {
  if ($ref !== undefined)
    return filledRecord(data, $ref.slice(REF_PREFIX.length) as RecordName, absent);
  if (items && Array.isArray(data)) return data.map((one) => filled(one, items, absent));
  if (typeof data === 'string' && anyOf?.some(({ type }) => type === 'string')) return data;
  const nested = anyOf?.flatMap((one) => one.anyOf ?? one).filter((one) => one.$ref ?? one.items);
  const fitting = nested?.find((one) => isOfTool(data, one)) ?? nested?.[0];
  return fitting ? filled(data, fitting, absent) : data;
}

/** True for a text or a sentence: before format 6 it was a text. */
export const isWords = (anyOf: readonly Schema[]): boolean =>
  anyOf.length === 2 &&
  anyOf.some(({ type }) => type === 'string') &&
  anyOf.some(({ $ref }) => $ref === `${REF_PREFIX}Sentence`);

/** True if a schema describes the report whose tool a value names. */
function isOfTool(data: unknown, { $ref }: Schema): boolean {
  const fields = SCHEMAS.get($ref?.slice(REF_PREFIX.length) ?? '') ?? [];
  const tools = fields.find(([field]) => field === 'tool')?.[1].enum ?? [];
  return isObject(data) && tools.includes(Object(data).tool);
}

function isObject(data: unknown): data is object {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** The roles of an op's operands in order, each with the param that counts them. */
type RoleRule = readonly (readonly [count: string, role: string])[];

const RULES = new Map<string, readonly RoleRule[]>(Object.entries(ROLES));

/** Gives the eqns of a program of format 1 their roles, in place, and removes the params that counted them. */
function complete({ stages }: Program): void {
  for (const { eqns } of stages.flatMap(({ graphs }) => graphs)) {
    for (const eqn of eqns) if (RULES.has(eqn.op)) completeEqn(eqn);
  }
}

function completeEqn(eqn: Eqn): void {
  for (const rule of RULES.get(eqn.op) ?? []) {
    const roles = rolesOf(eqn, rule);
    if (roles === null) continue;
    const counts = new Set(rule.map(([name]) => name));
    eqn.roles = roles;
    eqn.params = eqn.params.filter(({ name }) => !counts.has(name));
    return;
  }
}

/** The roles of an eqn's operands; null if its params contain no counts, as with JAX 0.11 and later. */
function rolesOf({ params, invars, outvars }: Eqn, rule: RoleRule): string[] | null {
  const values = new Map(params.map(({ name, value }) => [name, value]));
  values.set(RESULTS, String(outvars.length));
  const texts = rule.slice(0, -1).map(([name]) => values.get(name) ?? name);
  const counts = texts.map((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN));
  const left = counts.reduce((rest, count) => rest - count, invars.length);
  if (!(left >= 0)) return null;
  const roles = rule.flatMap(([, role], at) => new Array<string>(counts[at] ?? left).fill(role));
  return roles.some((role) => role !== '') ? roles : [];
}

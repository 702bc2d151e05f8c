/** Written by scripts/schema.py from jaxviz/schema: edit there. */

export const VERSION = 3;
/** The version of jaxviz that this page has. */
export const RELEASE = '0.1.0';
export const MIME = 'application/vnd.jaxviz.v1+json';
export const LOG_MIME = 'application/vnd.jaxviz.log.v1+json';

/** By format, the fields that came with it, and their values in records older than it. */
export const ADDED = {
  "2": {
    "Program.fixed": [],
    "Event.looked": false,
    "Event.failed": null,
    "Eqn.roles": [],
    "Cause.values": [],
    "Cause.others": 0,
    "Log.ops": [],
    "Display.jaxviz": "",
    "LogDisplay.jaxviz": ""
  },
  "3": {
    "Display.opening": {}
  }
} as const;

/** By op, how many operands have which role: rules of `jaxviz/schema/format1.py`. */
export const RESULTS = 'results';
export const ROLES = {
  "scan": [[["num_consts", "const"], ["num_carry", "carry"], ["", "xs"]]],
  "while": [[["cond_nconsts", "cond const"], ["body_nconsts", "body const"], ["", "carry"]], [["results", "carry"], ["", "const"]]],
  "stablehlo.while": [[["results", "carry"], ["", "const"]]],
  "cond": [[["1", "index"], ["", ""]]],
  "custom_jvp_call": [[["num_consts", "const"], ["", ""]]],
  "custom_vjp_call": [[["num_consts", "const"], ["", ""]]],
} as const;

/** All that is known of one captured call. */
export interface Program {
  version: number;
  /** The version of JAX that made it. */
  jax: string;
  name: string;
  args: Leaf[];
  /** What was passed beside them, in the order of the arguments. */
  fixed: Fixed[];
  results: Leaf[];
  listings: Listing[];
  /** The jaxpr first, and of the later ones those that were made, in their order. */
  stages: Stage[];
  /** Where it was made from two programs: what differs. */
  compared: Compared | null;
}

/** One input or output of the whole program, by the user's own path. */
export interface Leaf {
  /** `params['w1']`, `x`, `result[0]`. */
  path: string;
  aval: Aval;
}

/** What JAX knows of a value while tracing: everything but the value. */
export interface Aval {
  /** As JAX prints it: `f32[8,64]`, `key<fry>[]`, `Ref{f32[8]}`. */
  text: string;
  /** `array`, `key`, `ref`, `token`, `tuple` (of optimized HLO) or `other`. */
  kind: string;
  /** Dimensions, symbolic ones by name; None where the kind has no shape. */
  shape: (number | string)[] | null;
  /** `float32`, `key<fry>`; empty where the kind has none. */
  dtype: string;
  weak_type: boolean;
  /**
   * The partition spec (`P('data', None)`), where the type carries one; in later stages as
   * they write it (`{devices=[2,1]<=[2]}`).
   */
  sharding: string | null;
  /** The memory space, where it is not the device's default. */
  memory: string | null;
  /** Of optimized HLO: dimensions from the one that changes fastest, and tiles: `{1,0}`. */
  layout: string | null;
  /** Bytes of the whole value, None where the size is not a number. */
  bytes: number | null;
}

/** One argument, or part of one, that is no input of the program: it is fixed in it. */
export interface Fixed {
  /** `mode`, `axis`, `params['note']`. */
  path: string;
  /** A plain small value as it is (`'train'`, `(0, 1)`, `relu`); of others the type. */
  text: string;
  /** `static` (a static argument of `jax.jit`) or `closed over` (it holds no array). */
  kind: string;
}

/** The user's own code that a program was made from: a cell, or part of a file. */
export interface Listing {
  file: string;
  /** As `Frame.file` and `Frame.cell` have them. */
  cell: string | null;
  count: number | null;
  /** The number of the first line, from 1. */
  start: number;
  text: string;
}

/** One form of the program. */
export interface Stage {
  /** `jaxpr`, `stablehlo` or `hlo` (what XLA made of it: optimized, for one device). */
  kind: string;
  /** The first one is the program; the others are bodies. */
  graphs: Graph[];
  avals: Aval[];
  frames: Frame[];
  scopes: string[];
  text: string;
  /** What could not be had from this version of JAX, or is not as it seems, a sentence each. */
  notes: string[];
  /** Of one run of the program. */
  cost: Cost | null;
  /** The same as XLA reports it, which counts the body of a loop once. */
  reported: Cost | null;
  /** Of one run of the program; of optimized HLO alone. */
  memory: Memory | null;
  /** Milliseconds that JAX and XLA took to make it; None of the jaxpr. */
  took: number | null;
  /** Why there is no stage, as one sentence; then all lists are empty. */
  error: string | null;
}

/** A jaxpr (a function, region or computation in later stages). Stored once if shared. */
export interface Graph {
  name: string;
  vars: Var[];
  constvars: number[];
  invars: number[];
  outvars: number[];
  /** For each of `invars` the user's path, or empty. */
  args: string[];
  /** For each of `outvars` the user's path, or empty. */
  results: string[];
  eqns: Eqn[];
  groups: Group[];
  effects: string[];
}

/** A variable or a literal of a graph. */
export interface Var {
  /** As the stage's text prints it (`a`, `2.0:f32[]`); `_` where the result is dropped. */
  name: string;
  aval: number;
  literal: boolean;
}

/** One equation of a jaxpr (an operation or instruction in later stages). */
export interface Eqn {
  /** The primitive's name: `add`, `dot_general`, `jit`. */
  op: string;
  /** What the eqn calls, where it has a name (`relu` of a `jit`); else empty. */
  name: string;
  invars: number[];
  outvars: number[];
  /**
   * For each of `invars` its part in the bodies, if any has one: of a loop `carry` (the last ones
   * come first among the results), `xs` (sliced), `const`; of a choice `index` or `pred`.
   */
  roles: string[];
  params: Param[];
  bodies: Body[];
  effects: string[];
  /** The user's innermost frame. */
  frame: number | null;
  /** The innermost frame with those of libraries: `frame`, or a frame that it leads to. */
  call: number | null;
  /** JAX gave no frame of the user's: `frame` is that of the first enclosing eqn. */
  inherited: boolean;
  /** Index into `scopes`: the name stack. */
  scope: number;
  /** `[start, stop)` characters of the stage's text, nested bodies included. */
  span: number[] | null;
  /**
   * In later stages: the eqn of the jaxpr that this one was made for, the last, after those
   * around it, outermost first. Eqns are numbered through all graphs of the jaxpr in their order.
   * Empty where it is not known, and in the jaxpr.
   */
  origin: number[];
  /** `origin` was not written by JAX or XLA: it is that of the eqns around this one. */
  guess: boolean;
  /** How often one run of the eqn runs its bodies, where it is a loop and that is known. */
  trips: number | null;
  /** Of one run of the eqn: its bodies, as often as it runs them, included. */
  cost: Cost | null;
}

/** One parameter of an eqn, readable. `Eqn.roles` has what some say of its operands. */
export interface Param {
  name: string;
  /** At most 400 characters; array values never, only their type. */
  value: string;
  /** Characters of the whole value, more than `len(value)` where it was cut. */
  size: number;
}

/** A graph that an eqn holds. */
export interface Body {
  /** What it is to the eqn: `true`, `false`, `branch 2`, `condition`, `body`, `jvp`… */
  label: string;
  graph: number;
  /**
   * For each input of the graph the eqn's operand that feeds it (index into the eqn's
   * `invars`), or -1: a loop index, a pallas ref, or not known.
   */
  inputs: number[];
  /**
   * For each output of the graph the eqn's result that it becomes (index into `outvars`),
   * or -1.
   */
  outputs: number[];
}

/** What something does: how much arithmetic, and how much memory it reads and writes. */
export interface Cost {
  /** Floating-point operations, integer ones apart; None where it is not known. */
  flops: number | null;
  /** Bytes of operands read and results written; None where it is not known. */
  bytes: number | null;
  /** It is at least that much: something in it is not known, such as how often a loop runs. */
  least: boolean;
}

/** A contiguous run of a graph's eqns that belong together. Runs nest and never cross. */
export interface Group {
  name: string;
  /**
   * `scope` (named by the user or JAX), `call` (a function on the user's call stack),
   * `repeat` (a run of siblings that are alike) or `section` (cut where the fewest values
   * cross).
   */
  kind: string;
  /**
   * Its part in a training step: `forward`, `backward`, `optimizer`, `recompute` (values that
   * the backward pass computes again) or empty. A group has the role of what it is in, unless it
   * has one of its own: a role's outermost groups are those whose parent has another.
   */
  role: string;
  /** Index into the graph's `groups`, always smaller than this group's own. */
  parent: number | null;
  /**
   * Index into the graph's `groups` of the forward group that this one is the derivative of,
   * computes again, or updates the parameters of.
   */
  twin: number | null;
  /**
   * Groups of one graph with the same number repeat one another eqn for eqn: the same
   * primitives, params (but for where a slice begins), avals and wiring. -1 where no other does.
   */
  alike: number;
  start: number;
  /** Eqns `[start, stop)` of the graph. */
  stop: number;
}

/** One call on the user's stack. Interned as a tree, callers first. */
export interface Frame {
  function: string;
  /** Relative to the working directory where it lies below it, else the last two parts. */
  file: string;
  /** From 1; in a notebook's cell, the line of the cell. */
  line: number;
  /** From 1; 0 where it is not known. */
  column: number;
  /** The text of that line, stripped; empty where it cannot be read. */
  code: string;
  /** The notebook cell's id. */
  cell: string | null;
  /** The cell's execution count. */
  count: number | null;
  /** In an installed package, not the user's own file. JAX's own frames are left out. */
  library: boolean;
  parent: number | null;
}

/** Bytes on one device, as XLA reports them; None for what it does not report. */
export interface Memory {
  arguments: number | null;
  outputs: number | null;
  temporaries: number | null;
  /** Of the outputs, what lies in donated arguments. */
  aliased: number | null;
  code: number | null;
  peak: number | null;
}

/**
 * That a program was made from two: its one stage holds the eqns of both, those that match
 * once, as the later one has them; where types or params differ, with both (`f32[8→5,32]`).
 */
export interface Compared {
  /** What the earlier one is called. */
  before: string;
  after: string;
  /** How the inputs and results differ. */
  inputs: Change[];
  /**
   * Of the eqns that differ, in their order. The programs are the same where there are none
   * and no inputs differ.
   */
  marks: Mark[];
}

/** One difference between two calls of the same function. */
export interface Change {
  /**
   * `shape`, `dtype`, `weak type`, `static` (a static argument's value), `style` (by position
   * or by keyword), `pytree`, `none` (None or array), `config`, `sharding`, `device`, `committed`,
   * `mesh`, `options` (of jit), `function` (a new function object of the same code), `cleared`
   * (JAX's caches), `first` (no earlier one was seen) or `unknown`.
   */
  kind: string;
  /** The user's path of the argument (`params['w']`), or the flag's name; else empty. */
  where: string;
  before: string;
  after: string;
}

/** How an eqn of one program differs from that of another which it was matched with. */
export interface Mark {
  /** Its number: eqns are numbered through all graphs of the stage in their order. */
  eqn: number;
  /**
   * `added`, `removed`, `changed` (its params, or what it reads) or `retyped` (the types of its
   * results alone, and params that follow from types: the `shape` of a broadcast).
   */
  kind: string;
  before: string;
  /**
   * What differs, as text: `axes=(0,)`, `f32[8,32]`. Both are empty of an eqn that was added or
   * removed.
   */
  after: string;
}

/**
 * How a program is first seen, as its author chose it with the options of `%jaxviz` or with
 * `Program.opened`.
 *
 * A member that is absent was not chosen: then the page does as the reader prefers, which the
 * settings of JupyterLab say, and where the reader prefers nothing, as we think best. So the
 * author's choice goes before the reader's preference, and that before our default. All of it is
 * about the first sight alone: what the reader opens or colours afterwards stays.
 *
 * It is the one record whose members may be absent. Each is an option of the same name, with its
 * `description` as the help and its `examples` in what is said of a wrong value.
 */
export interface Opening {
  /** The stage to show first, which is made for it: jaxpr, stablehlo or hlo. By default the jaxpr, or what the settings of JupyterLab say. */
  stage?: ('hlo' | 'jaxpr' | 'stablehlo') | null;
  /** Down to how many levels groups, loops and calls are open at first, as they are drawn: 1 opens those that are seen first, 0 none. By default those that tell most, as far as there is room. */
  depth?: number | null;
  /** How many boxes show at first, at most. By default as many as the view has room for, or what the settings of JupyterLab say; all of them where a depth is chosen. */
  boxes?: number | null;
  /** What the colours of the boxes tell at first: family, dtype, scope, flops or bytes. By default the family of each op, or in a comparison what changed. */
  colours?: ('bytes' | 'dtype' | 'family' | 'flops' | 'scope') | null;
}

/** What a notebook's output holds (MIME type `application/vnd.jaxviz.v1+json`). */
export interface Display {
  version: number;
  /** The version of jaxviz that wrote it; empty where that is not known. */
  jaxviz: string;
  /** A `Program` as `jaxviz/display/wire` encodes it, in base64. */
  program: string;
  /** What was left out of a program too large to save, as one sentence. */
  partial: string | null;
  opening: Opening;
  /** Under what the kernel knows the program, to ask it for later stages. */
  key: string;
}

/** One trace, lowering or compilation of a function of the user's. */
export interface Event {
  number: number;
  /** `trace`, `lower` or `compile`. */
  kind: string;
  name: string;
  definition: Frame | null;
  /** The user's innermost line that led to it. */
  site: Frame | null;
  /** Seconds since 1970. */
  start: number;
  seconds: number;
  /** How many traces, lowerings or compilations it lies within. */
  depth: number;
  thread: string;
  /** Of a trace: how many the jaxpr holds, bodies included, each counted once. */
  eqns: number | null;
  /**
   * Of a trace: the function had been traced before. Of the others: the same program had
   * been lowered or compiled before, so that this came without a trace.
   */
  again: boolean;
  /** Of a lowering or compilation: the number of the trace whose program it is. */
  of: number | null;
  /**
   * JAX announces no trace within another, or under grad and vmap, from 0.10 on: this one
   * was found afterwards, and its time is that of another.
   */
  implied: boolean;
  /**
   * Of a trace: the body ran earlier, when jaxviz captured a call. This call of the user's found
   * the program in JAX's cache, and `seconds` is 0.
   */
  looked: boolean;
  /** Empty of a lowering or compilation that follows a trace. */
  reason: Change[];
  /** Changes that were left out of `reason`. */
  more: number;
  /** Of a trace: the number of the earlier one, the nearest, that `reason` compares it with. */
  against: number | null;
  /** What to do about it, as one line; may be empty. */
  hint: string;
  /** Of a compilation: whether the persistent cache had it; None where none is used. */
  cached: boolean | null;
  /** The class of the exception that ended it. */
  error: string | null;
  /** The user's innermost line where that exception was raised, where it is known. */
  failed: Frame | null;
}

/** What was counted of one function. */
export interface Function {
  name: string;
  definition: Frame | null;
  traces: number;
  retraces: number;
  lowerings: number;
  /** Without a new trace. */
  relowerings: number;
  compiles: number;
  /** Without a new trace. */
  recompiles: number;
  /** Of all these; a trace within another counts in both. */
  seconds: number;
  /** Why it was last traced, lowered or compiled again. */
  reason: Change[];
  hint: string;
  /**
   * Calls that JAX's caches knew, in each slice of the log's time (`Log.slice`), from its start;
   * None where they were not counted.
   */
  hits: number[] | null;
}

/** One of the reasons that are the same cause: `x: f32[256→1024, 8]`, and how often. */
export interface Variant {
  reason: Change[];
  times: number;
}

/**
 * Why a function was traced, lowered or compiled again, and how often for this reason: all
 * events whose changes are of the same kinds at the same places.
 */
export interface Cause {
  /** Index into the log's `functions`. */
  function: number;
  /** As `Event.kind`. */
  kind: string;
  /** The changes of the latest. */
  reason: Change[];
  /** Each distinct reason, in the order in which they were met. */
  values: Variant[];
  /** How often it was for reasons that are not among `values`, which are the first alone. */
  others: number;
  more: number;
  hint: string;
  times: number;
  /** With the lowerings and compilations that followed the traces. */
  seconds: number;
  first: number;
  /** The numbers of the first event and of the latest. */
  last: number;
}

/** What was counted apart: traces, lowerings and compilations of JAX's own functions. */
export interface Totals {
  traces: number;
  lowerings: number;
  compiles: number;
  seconds: number;
}

/**
 * What was compiled op by op, outside jit, at one line: `jnp.sin`. JAX compiles an op when it
 * is first run with arguments of these types; later runs are not seen.
 */
export interface Op {
  /** As the user would write it, as far as that is known. */
  name: string;
  /** The user's line. */
  site: Frame | null;
  traces: number;
  compiles: number;
  seconds: number;
  /** When: starts and ends by turns, seconds since 1970; of too many the first. */
  spans: number[];
}

/** What happened while a cell ran, or while `watch()` lasted. */
export interface Log {
  version: number;
  jax: string;
  /** Seconds since 1970. */
  start: number;
  /** How long it has lasted. */
  seconds: number;
  running: boolean;
  /**
   * Seconds of these in which JAX traced, lowered or compiled anything, its own functions too;
   * what threads did at the same time counts once.
   */
  making: number;
  /** In the order in which they were met. */
  functions: Function[];
  /** Those that took longest first. */
  causes: Cause[];
  /** In the order in which they ended: of too many the first ones and the latest. */
  events: Event[];
  /** Events that are counted in all else, and not listed. */
  omitted: number;
  apart: Totals;
  /**
   * What was compiled op by op, in the order in which it was first met; of too many the last is
   * the sum of the others. All of it is counted in `apart` too.
   */
  ops: Op[];
  /** Seconds of a slice of `Function.hits`. */
  slice: number;
  /** The class of the exception that ended it. */
  error: string | null;
  /** What could not be had from this version of JAX, a sentence each. */
  notes: string[];
}

/**
 * What a notebook's output holds of a log (MIME type
 * `application/vnd.jaxviz.log.v1+json`).
 */
export interface LogDisplay {
  version: number;
  /** The version of jaxviz that wrote it; empty where that is not known. */
  jaxviz: string;
  /** A `Log` as JSON, deflated (zlib, RFC 1950), in base64. */
  log: string;
  /** It is first seen as one line. */
  strip: boolean;
  /** Under what the kernel knows the log, to ask it for the programs that were traced. */
  key: string;
}

/** A program that a cell shows, and that the kernel can be asked about. */
export interface Capture {
  /** As `Display.key`. */
  key: string;
  name: string;
  /** Of its jaxpr, bodies included, each counted once. */
  eqns: number;
  /** The id of the cell that shows it. */
  cell: string | null;
  /** That cell's execution count. */
  count: number | null;
  /** Where the function begins, where its code could be read. */
  definition: Frame | null;
}

/**
 * What a kernel traced and captured so far. Its `log` has all that any log of the kernel was
 * told.
 */
export interface Panel {
  version: number;
  /** `%jaxviz on` was run, and `off` was not since. */
  watching: boolean;
  log: Log;
  /** In the order in which they were shown. */
  captures: Capture[];
  /** How often functions were made again since the last cell began. */
  since: number;
}

/** The fields of each record as JSON Schema: all are required but those with a default, and no others allowed. */
export const RECORDS = {
  Opening: {"stage": {"anyOf": [{"enum": ["hlo", "jaxpr", "stablehlo"]}, {"type": "null"}], "default": null}, "depth": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}], "default": null}, "boxes": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": null}, "colours": {"anyOf": [{"enum": ["bytes", "dtype", "family", "flops", "scope"]}, {"type": "null"}], "default": null}},
  Aval: {"text": {"type": "string"}, "kind": {"type": "string"}, "shape": {"anyOf": [{"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}, {"type": "null"}]}, "dtype": {"type": "string"}, "weak_type": {"type": "boolean"}, "sharding": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "memory": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "layout": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "bytes": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
  Leaf: {"path": {"type": "string"}, "aval": {"$ref": "#/definitions/Aval"}},
  Fixed: {"path": {"type": "string"}, "text": {"type": "string"}, "kind": {"type": "string"}},
  Var: {"name": {"type": "string"}, "aval": {"type": "integer"}, "literal": {"type": "boolean"}},
  Param: {"name": {"type": "string"}, "value": {"type": "string"}, "size": {"type": "integer"}},
  Body: {"label": {"type": "string"}, "graph": {"type": "integer"}, "inputs": {"type": "array", "items": {"type": "integer"}}, "outputs": {"type": "array", "items": {"type": "integer"}}},
  Cost: {"flops": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "bytes": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "least": {"type": "boolean"}},
  Eqn: {"op": {"type": "string"}, "name": {"type": "string"}, "invars": {"type": "array", "items": {"type": "integer"}}, "outvars": {"type": "array", "items": {"type": "integer"}}, "roles": {"type": "array", "items": {"type": "string"}}, "params": {"type": "array", "items": {"$ref": "#/definitions/Param"}}, "bodies": {"type": "array", "items": {"$ref": "#/definitions/Body"}}, "effects": {"type": "array", "items": {"type": "string"}}, "frame": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "call": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "inherited": {"type": "boolean"}, "scope": {"type": "integer"}, "span": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}, "origin": {"type": "array", "items": {"type": "integer"}}, "guess": {"type": "boolean"}, "trips": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "cost": {"anyOf": [{"$ref": "#/definitions/Cost"}, {"type": "null"}]}},
  Group: {"name": {"type": "string"}, "kind": {"type": "string"}, "role": {"type": "string"}, "parent": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "twin": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "alike": {"type": "integer"}, "start": {"type": "integer"}, "stop": {"type": "integer"}},
  Graph: {"name": {"type": "string"}, "vars": {"type": "array", "items": {"$ref": "#/definitions/Var"}}, "constvars": {"type": "array", "items": {"type": "integer"}}, "invars": {"type": "array", "items": {"type": "integer"}}, "outvars": {"type": "array", "items": {"type": "integer"}}, "args": {"type": "array", "items": {"type": "string"}}, "results": {"type": "array", "items": {"type": "string"}}, "eqns": {"type": "array", "items": {"$ref": "#/definitions/Eqn"}}, "groups": {"type": "array", "items": {"$ref": "#/definitions/Group"}}, "effects": {"type": "array", "items": {"type": "string"}}},
  Frame: {"function": {"type": "string"}, "file": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}, "code": {"type": "string"}, "cell": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "library": {"type": "boolean"}, "parent": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
  Memory: {"arguments": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "outputs": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "temporaries": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "aliased": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "code": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "peak": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
  Stage: {"kind": {"type": "string"}, "graphs": {"type": "array", "items": {"$ref": "#/definitions/Graph"}}, "avals": {"type": "array", "items": {"$ref": "#/definitions/Aval"}}, "frames": {"type": "array", "items": {"$ref": "#/definitions/Frame"}}, "scopes": {"type": "array", "items": {"type": "string"}}, "text": {"type": "string"}, "notes": {"type": "array", "items": {"type": "string"}}, "cost": {"anyOf": [{"$ref": "#/definitions/Cost"}, {"type": "null"}]}, "reported": {"anyOf": [{"$ref": "#/definitions/Cost"}, {"type": "null"}]}, "memory": {"anyOf": [{"$ref": "#/definitions/Memory"}, {"type": "null"}]}, "took": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "error": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
  Listing: {"file": {"type": "string"}, "cell": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "start": {"type": "integer"}, "text": {"type": "string"}},
  Change: {"kind": {"type": "string"}, "where": {"type": "string"}, "before": {"type": "string"}, "after": {"type": "string"}},
  Mark: {"eqn": {"type": "integer"}, "kind": {"type": "string"}, "before": {"type": "string"}, "after": {"type": "string"}},
  Compared: {"before": {"type": "string"}, "after": {"type": "string"}, "inputs": {"type": "array", "items": {"$ref": "#/definitions/Change"}}, "marks": {"type": "array", "items": {"$ref": "#/definitions/Mark"}}},
  Program: {"version": {"type": "integer"}, "jax": {"type": "string"}, "name": {"type": "string"}, "args": {"type": "array", "items": {"$ref": "#/definitions/Leaf"}}, "fixed": {"type": "array", "items": {"$ref": "#/definitions/Fixed"}}, "results": {"type": "array", "items": {"$ref": "#/definitions/Leaf"}}, "listings": {"type": "array", "items": {"$ref": "#/definitions/Listing"}}, "stages": {"type": "array", "items": {"$ref": "#/definitions/Stage"}}, "compared": {"anyOf": [{"$ref": "#/definitions/Compared"}, {"type": "null"}]}},
  Display: {"version": {"type": "integer"}, "jaxviz": {"type": "string"}, "program": {"type": "string"}, "partial": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "opening": {"$ref": "#/definitions/Opening"}, "key": {"type": "string"}},
  Event: {"number": {"type": "integer"}, "kind": {"type": "string"}, "name": {"type": "string"}, "definition": {"anyOf": [{"$ref": "#/definitions/Frame"}, {"type": "null"}]}, "site": {"anyOf": [{"$ref": "#/definitions/Frame"}, {"type": "null"}]}, "start": {"type": "number"}, "seconds": {"type": "number"}, "depth": {"type": "integer"}, "thread": {"type": "string"}, "eqns": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "again": {"type": "boolean"}, "of": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "implied": {"type": "boolean"}, "looked": {"type": "boolean"}, "reason": {"type": "array", "items": {"$ref": "#/definitions/Change"}}, "more": {"type": "integer"}, "against": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "hint": {"type": "string"}, "cached": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "error": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "failed": {"anyOf": [{"$ref": "#/definitions/Frame"}, {"type": "null"}]}},
  Function: {"name": {"type": "string"}, "definition": {"anyOf": [{"$ref": "#/definitions/Frame"}, {"type": "null"}]}, "traces": {"type": "integer"}, "retraces": {"type": "integer"}, "lowerings": {"type": "integer"}, "relowerings": {"type": "integer"}, "compiles": {"type": "integer"}, "recompiles": {"type": "integer"}, "seconds": {"type": "number"}, "reason": {"type": "array", "items": {"$ref": "#/definitions/Change"}}, "hint": {"type": "string"}, "hits": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}},
  Variant: {"reason": {"type": "array", "items": {"$ref": "#/definitions/Change"}}, "times": {"type": "integer"}},
  Cause: {"function": {"type": "integer"}, "kind": {"type": "string"}, "reason": {"type": "array", "items": {"$ref": "#/definitions/Change"}}, "values": {"type": "array", "items": {"$ref": "#/definitions/Variant"}}, "others": {"type": "integer"}, "more": {"type": "integer"}, "hint": {"type": "string"}, "times": {"type": "integer"}, "seconds": {"type": "number"}, "first": {"type": "integer"}, "last": {"type": "integer"}},
  Totals: {"traces": {"type": "integer"}, "lowerings": {"type": "integer"}, "compiles": {"type": "integer"}, "seconds": {"type": "number"}},
  Op: {"name": {"type": "string"}, "site": {"anyOf": [{"$ref": "#/definitions/Frame"}, {"type": "null"}]}, "traces": {"type": "integer"}, "compiles": {"type": "integer"}, "seconds": {"type": "number"}, "spans": {"type": "array", "items": {"type": "number"}}},
  Log: {"version": {"type": "integer"}, "jax": {"type": "string"}, "start": {"type": "number"}, "seconds": {"type": "number"}, "running": {"type": "boolean"}, "making": {"type": "number"}, "functions": {"type": "array", "items": {"$ref": "#/definitions/Function"}}, "causes": {"type": "array", "items": {"$ref": "#/definitions/Cause"}}, "events": {"type": "array", "items": {"$ref": "#/definitions/Event"}}, "omitted": {"type": "integer"}, "apart": {"$ref": "#/definitions/Totals"}, "ops": {"type": "array", "items": {"$ref": "#/definitions/Op"}}, "slice": {"type": "number"}, "error": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "notes": {"type": "array", "items": {"type": "string"}}},
  LogDisplay: {"version": {"type": "integer"}, "jaxviz": {"type": "string"}, "log": {"type": "string"}, "strip": {"type": "boolean"}, "key": {"type": "string"}},
  Capture: {"key": {"type": "string"}, "name": {"type": "string"}, "eqns": {"type": "integer"}, "cell": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "definition": {"anyOf": [{"$ref": "#/definitions/Frame"}, {"type": "null"}]}},
  Panel: {"version": {"type": "integer"}, "watching": {"type": "boolean"}, "log": {"$ref": "#/definitions/Log"}, "captures": {"type": "array", "items": {"$ref": "#/definitions/Capture"}}, "since": {"type": "integer"}},
} as const;

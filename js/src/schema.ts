/** Written by scripts/schema.py from jaxviz/schema: edit there. */

/** The report of a tool; `tool` is the function's name. */
export type Report = NonNullable<Display['report']>;
export const VERSION = 6;
/** The version of jaxviz that this page has. */
export const RELEASE = '0.1.0';
/** The address of the site, from package.json; empty before the first release. */
export const SITE: string = '';
export const MIME = 'application/vnd.jaxviz.v1+json';
export const LOG_MIME = 'application/vnd.jaxviz.log.v1+json';
export const QUIZ_MIME = 'application/vnd.jaxviz.quiz.v1+json';

/** Limits of the first view: `jaxviz/schema/opening.py` describes them. */
export const FIRST_BOXES = 100;
export const MOST_REPEATS = 6;
export const PICTURE_ITEMS = [40, 20, 10];
export const SVG_BYTES = 40000;
export const BROADCASTS = ["broadcast", "broadcast_in_dim"];

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
  },
  "4": {
    "Cost.transcendentals": null,
    "Eqn.own": ""
  },
  "5": {
    "Born.hidden": null,
    "Born.one_of": 1,
    "Call.mesh": [],
    "Collective.cause": "",
    "Compared.unknown": [],
    "Display.can_step": false,
    "Display.since": "",
    "EqnValues.spread": [],
    "Event.library": false,
    "Event.saved": null,
    "Frame.end_line": 0,
    "Frame.end_column": 0,
    "Function.library": false,
    "Group.loop": "",
    "Group.loop_line": 0,
    "LineValues.distribution": null,
    "Log.caches": [],
    "Log.predict": false,
    "Log.profile": null,
    "Op.reason": [],
    "Program.findings": [],
    "Stage.call": null,
    "Stage.collectives": [],
    "Stage.strays": [],
    "Stage.times": null,
    "Stage.values": [],
    "TraceStep.notes": []
  },
  "6": {
    "Eqn.attributes": null,
    "Call.lost": [],
    "CellTimes.loops": [],
    "Eqn.was": [],
    "Finding.is_note": false,
    "Log.findings": [],
    "Program.drawn": [],
    "Program.frozen": [],
    "Sentence.key": "",
    "Sentence.parts": [],
    "Card.tool": "explain",
    "Display.report": null,
    "EqnValues.written": [],
    "Group.unlike": {
      "key": "",
      "parts": [],
      "text": ""
    },
    "Frame.rules": "",
    "Group.named_by": "",
    "Job.agreement": null,
    "Job.text": "",
    "Job.tool": "agree",
    "LineTime.graph": 0,
    "LineValues.result": 0,
    "NanOrigin.eqn": -1,
    "NanOrigin.graph": -1,
    "NanOrigins.tool": "find_nan",
    "Passes.tool": "passes",
    "Statistics.tool": "statistics",
    "Steps.tool": "steps",
    "Timed.tool": "timeit",
    "Times.measured": null,
    "Times.tool": "profile",
    "Var.named": ""
  }
} as const;

/** Fields of formats before 6, by their full name, and what they are called now. */
export const RENAMED: { readonly [field: string]: string } = {"Card.mends": "fixes", "Finding.mend": "fix", "NanOrigins.born": "origins"};
/** The fields of displays of format 5 for reports, and the record of each. */
export const REPORTS_OF_FORMAT_5 = {"births": "NanOrigins", "card": "Card", "job": "Job", "steps": "Steps", "timed": "Timed", "times": "Times", "values": "Statistics"} as const;

/** By op, how many operands have which role: rules of `jaxviz/schema/upgrade.py`. */
export const RESULTS = 'results';
export const ROLES = {
  "scan": [[["num_consts", "const"], ["num_carry", "carry"], ["", "xs"]]],
  "while": [[["cond_nconsts", "cond const"], ["body_nconsts", "body const"], ["", "carry"]], [["results", "carry"], ["", "const"]]],
  "stablehlo.while": [[["results", "carry"], ["", "const"]]],
  "cond": [[["1", "index"], ["", ""]]],
  "custom_jvp_call": [[["num_consts", "const"], ["", ""]]],
  "custom_vjp_call": [[["num_consts", "const"], ["", ""]]],
} as const;

/** Patterns of params up to format 5: `jaxviz/schema/upgrade.py`. */
export const PATTERNS = {
  "list": "[\\[({]((?:\\d{1,9},\\s*)*\\d{0,9})[\\])}]",
  "named_list": "(\\w+)_dimensions = \\[([\\d, ]*)\\]",
  "shape": "(?:^\\[|tensor<)(\\d{1,9})[,x](\\d{1,9})(?:\\]<=|x)",
  "mesh": "^mesh\\[([^\\]]*)\\][^{]*\\{([^}]*)\\}",
  "axis": "'([^']*)'(?:=(\\d{1,9}))?",
  "number": "\\d{1,9}"
} as const;
export const DOTS: readonly string[] = ["dot_general", "stablehlo.dot_general", "dot"];
export const SIDES = [["lhs_contracting", "lhs_contracting_dims"], ["rhs_contracting", "rhs_contracting_dims"], ["lhs_batching", "lhs_batch_dims"], ["rhs_batching", "rhs_batch_dims"]] as const;

/** A captured call: its arguments, results, code and stages. */
export interface Program {
  version: number;
  /** The version of JAX that made it. */
  jax: string;
  name: string;
  args: Leaf[];
  /** The arguments that are not inputs of the program, in their order. */
  fixed: Fixed[];
  results: Leaf[];
  listings: Listing[];
  /** The jaxpr, then the later stages that were made, in their order. */
  stages: Stage[];
  /** For a comparison: the differences of its two programs. None for a captured program. */
  compared: Compared | null;
  /** The places that cost more than they need to; empty until the program is shown or saved. */
  findings: Finding[];
  /** Random numbers and times that are constants of the program, if jaxviz saw its trace. */
  drawn?: Drawn[];
  /** The values that an earlier trace read and that are others now. */
  frozen?: FrozenValue[];
}

/** One input or output of the whole program, named by the user's own path. */
export interface Leaf {
  /** `params['w1']`, `x`, `result[0]`. */
  path: string;
  aval: Aval;
}

/** An argument, or part of one, that is not an input of the program: its value is fixed. */
export interface Fixed {
  /** `mode`, `axis`, `params['note']`. */
  path: string;
  /** The value if it is small and plain (`'train'`, `(0, 1)`, `relu`), else its type. */
  text: string;
  /**
   * `static` (a static argument of `jax.jit`) or `closed over` (any other argument without
   * arrays).
   */
  kind: string;
}

/** The user's own code that a program was made from: a cell, or part of a file. */
export interface Listing {
  file: string;
  /** `file` and `cell` are the same as in `Frame`. */
  cell: string | null;
  count: number | null;
  /** The number of the first line, from 1. */
  start: number;
  text: string;
}

/** One form of the program. */
export interface Stage {
  /** `jaxpr`, `stablehlo` or `hlo` (optimized by XLA, for one device). */
  kind: string;
  /** The first one is the whole program; the others are bodies. */
  graphs: Graph[];
  avals: Aval[];
  frames: Frame[];
  scopes: string[];
  /** Names and shardings of the call's values; None for a program made from a jaxpr alone. */
  call: Call | null;
  text: string;
  /** Facts that this version of JAX does not provide, and warnings to the reader. */
  notes: Sentence[];
  /** The cost of one run of the program. */
  cost: Cost | null;
  /** The cost that XLA reports. XLA counts the body of a loop once. */
  reported: Cost | null;
  /** The memory that one run of the program needs; only in optimized HLO. */
  memory: Memory | null;
  /** The milliseconds in which JAX and XLA made it; None for the jaxpr. */
  took: number | null;
  /** Why the stage could not be made; then all lists are empty. */
  error: Sentence | null;
  /**
   * The communication between devices, in the order of the eqns. The communication that follows
   * from the shardings of arrays appears only in optimized HLO.
   */
  collectives: Collective[];
  /**
   * Casts to a wider float that a layer makes and its siblings do not, in the order of the
   * eqns.
   */
  strays: Outlier[];
  /** The times of its eqns in profiled runs; None if there are none for this stage. */
  times: StageTimes | null;
  /**
   * Statistics of the results of its eqns in a measured run, in the order of the eqns, without
   * eqns that did not run. Empty if no run was measured, and in later stages.
   */
  values: EqnValues[];
}

/**
 * A jaxpr (in later stages a function, region or computation).
 *
 * A graph that is the body of several eqns is stored once.
 */
export interface Graph {
  name: string;
  vars: Var[];
  constvars: number[];
  invars: number[];
  outvars: number[];
  /** The user's path for each of `invars`, or an empty string. */
  args: string[];
  /** The user's path for each of `outvars`, or an empty string. */
  results: string[];
  eqns: Eqn[];
  groups: Group[];
  effects: string[];
}

/** A variable or a literal of a graph. */
export interface Var {
  /** The name in the stage's text (`a`, `2.0:f32[]`); `_` for a result that is dropped. */
  name: string;
  aval: number;
  literal: boolean;
  /**
   * The user's name of a literal: `scale` of the `2.0` of `x * scale`. Empty if it has none, or
   * if that is not certain.
   */
  named?: string;
}

/**
 * One equation of a jaxpr (an operation or instruction in later stages).
 *
 * Its lists are tuples: Python's garbage collector does not visit tuples of numbers and strings,
 * but it would visit some hundred thousand lists of a large program.
 */
export interface Eqn {
  /** The primitive's name: `add`, `dot_general`, `jit`. */
  op: string;
  /**
   * The name of the function that the eqn calls, such as `relu` for a `jit` of it. For a loop or
   * choice, the function of JAX that made it, such as `fori_loop` for a `scan`, if that is not the
   * primitive's own. For a `select_n` that vmap made of a choice: `cond` or `switch`. Else empty.
   */
  name: string;
  invars: number[];
  outvars: number[];
  /**
   * For each of `invars`, its role in the bodies; empty if none has a role. In a loop the role is
   * `const`, `xs` (sliced) or `carry` (passed from iteration to iteration; the last values are the
   * first results). In a choice it is `index` or `pred`.
   */
  roles: string[];
  params: Param[];
  /** The params as values; None if jaxviz does not calculate with them. */
  attributes: (Dot | Convolution | Sizes | Dimensions | Groups | Pairs | Manual | Sharding) | null;
  bodies: Body[];
  effects: string[];
  /** The user's innermost frame. */
  frame: number | null;
  /** The innermost frame, also in a library: `frame`, or a frame that it calls. */
  call: number | null;
  /** True if JAX has no frame of the user, so that `frame` is that of an enclosing eqn. */
  inherited: boolean;
  /** Index into `scopes`: the name stack. */
  scope: number;
  /** Its characters in the stage's text, `[start, stop)`, with nested bodies. */
  span: number[] | null;
  /**
   * In later stages: the eqn of the jaxpr that this one was made for, as the last number. Before
   * it are the eqns around that one, outermost first. Eqns are numbered through all graphs of the
   * jaxpr in their order. Empty in the jaxpr, and if not known. Without a jaxpr, these are eqns of
   * the first stage that could be made.
   */
  origin: number[];
  /** True if `origin` is guessed from the eqns around this one: neither JAX nor XLA wrote it. */
  guess: boolean;
  /**
   * In optimized HLO: why XLA itself inserted the instruction, such as a cast for a bf16 dot on
   * CPU. Then `origin` is the eqn that needs it. Empty if the program may contain it.
   */
  own: string | Sentence;
  /** The number of iterations in one run of a loop; None for other eqns, and if not known. */
  trips: number | null;
  /** The cost of one run of the eqn, with its bodies as often as it runs them. */
  cost: Cost | null;
  /**
   * In a comparison: the variables that the eqn took in the earlier program and that the later
   * one lacks, such as results of removed eqns.
   */
  was?: number[];
}

/**
 * One parameter of an eqn, as readable text.
 *
 * Parameters that only describe the roles of operands are left out: `Eqn.roles` has these.
 */
export interface Param {
  name: string;
  /** At most 400 characters. For an array only its type. */
  value: string;
  /** The number of characters of the whole value: larger than that of `value` if it was cut. */
  size: number;
}

/** The dimensions of the two operands of a matrix product. */
export interface Dot {
  kind: 'dot';
  /**
   * The dimensions of the first operand that are summed over, each together with the dimension of
   * the second operand at the same index of `rhs`.
   */
  lhs: number[];
  rhs: number[];
  lhs_batch: number[];
  rhs_batch: number[];
}

/** The dimensions and the window of a convolution. */
export interface Convolution {
  kind: 'convolution';
  /**
   * A letter for each dimension of the first operand, the same as in XLA: `b` (batch), `f`
   * (feature), or the number of a spatial dimension.
   */
  lhs: string;
  /** The same for the kernel: `i` (input feature), `o` (output feature), or a number. */
  rhs: string;
  out: string;
  /** For each spatial dimension, the same as the next three fields. */
  strides: number[];
  /** Before the first element; negative if elements are cut off. */
  padding: number[];
  lhs_dilation: number[];
  rhs_dilation: number[];
  /** True if a library applies a function to each element of the result. */
  activated: boolean;
}

/** The sizes of a reduced window, of a Fourier transform, or of a random array. */
export interface Sizes {
  kind: 'sizes';
  sizes: number[];
}

/** The dimensions that an eqn reduces, joins, permutes or accumulates along. */
export interface Dimensions {
  kind: 'dimensions';
  dimensions: number[];
}

/** The groups of devices that communicate in a collective. */
export interface Groups {
  kind: 'groups';
  /** The named axes of a jaxpr along which the groups extend. */
  axes: string[];
  /** The number of groups; 0 if not known. */
  count: number;
  /** The number of devices of the largest group; 0 if not known. */
  size: number;
  /**
   * The devices, group after group. Smaller groups are filled up with -1. Empty if `dims` has
   * them, and if there are more than 4,096.
   */
  devices: number[];
  /**
   * The sizes of the grid on which the devices are numbered. To list the devices of the groups,
   * go through the grid in `order`, its last dimension fastest. Each `size` devices are a group.
   */
  dims: number[];
  order: number[];
  /** The dimension along which HLO joins what is gathered. */
  dimensions: number[];
}

/** Pairs of devices: a sender and a receiver. */
export interface Pairs {
  kind: 'pairs';
  /** The named axes of a jaxpr along which they send. */
  axes: string[];
  sources: number[];
  targets: number[];
}

/** The mesh of an eqn whose body runs on each device, with a part of the operands. */
export interface Manual {
  kind: 'manual';
  mesh: MeshAxis[];
  /** The axes that are split manually; XLA's partitioner splits the others. */
  axes: string[];
}

/** One axis of a mesh of devices, and its number of devices. */
export interface MeshAxis {
  name: string;
  size: number;
}

/** The sharding that an eqn sets. An eqn that leaves a dimension to XLA does not have it. */
export interface Sharding {
  kind: 'sharding';
  /** The same as `Aval.sharding`, or `P()` if nothing is split. */
  spec: string;
  mesh: MeshAxis[];
  /** The kind of memory; empty if the program does not set it. */
  memory: string;
}

/** A graph inside an eqn, such as the body of a loop. */
export interface Body {
  /** Its role in the eqn: `true`, `false`, `branch 2`, `condition`, `body`, `jvp`… */
  label: string;
  graph: number;
  /**
   * For each input of the graph, the operand of the eqn that becomes it (index into the eqn's
   * `invars`); -1 for a loop index, for a pallas ref, and if not known.
   */
  inputs: number[];
  /**
   * For each output of the graph, the result of the eqn that it becomes (index into `outvars`);
   * -1 if there is none, or if not known.
   */
  outputs: number[];
}

/** A sentence of the kernel. A page translates it by its key and inserts its parts. */
export interface Sentence {
  /**
   * Its name in the tables of sentences (`jaxviz/sentences`). Empty for a text that is in no
   * table: a message of JAX, or a sentence of a format before 6.
   */
  key: string;
  /**
   * The variable parts, in the order in which they first appear in the text; a count of things
   * comes first.
   */
  parts: (string | number | Sentence)[];
  /** The whole sentence in English. */
  text: string;
}

/** The arithmetic of an eqn or a program, and the memory that it reads and writes. */
export interface Cost {
  /**
   * Operations on elements, counted in the same way as by XLA's cost analysis: of any dtype,
   * with comparisons and conversions. None if not known.
   */
  flops: number | null;
  /**
   * Values of functions such as sin, exp, log, tanh and pow. XLA counts them separately, since
   * each takes many operations. None if not known, and in programs of an earlier format, whose flops
   * include them.
   */
  transcendentals: number | null;
  /** Bytes of operands read and of results written; None if not known. */
  bytes: number | null;
  /**
   * True if all are lower bounds, because a part is not known, such as a loop's number of
   * iterations.
   */
  least: boolean;
}

/**
 * Consecutive eqns of a graph that belong together.
 *
 * A group may contain others, but groups never overlap in part.
 */
export interface Group {
  name: string;
  /**
   * `scope` (of a name scope, or a part of a training step), `call` (of a call, a line, or the
   * parameters of a layer), `repeat` (neighbouring groups that are alike, or whose `twin`s are
   * alike) or `section` (part of a long run, cut where the fewest values cross).
   */
  kind: string;
  /**
   * Its part in a training step: `forward`, `loss` (the end of the forward pass), `backward`,
   * `optimizer`, `recompute` (values that the backward pass computes again), `state` (new values of
   * an argument that is not trained, such as running means), `metrics` or empty. An empty role means
   * the role of the parent.
   */
  role: string;
  /** Index into the graph's `groups`, always smaller than this group's own. */
  parent: number | null;
  /**
   * Index into the graph's `groups`: a forward group. This group computes its derivative,
   * recomputes its values, or updates its parameters.
   */
  twin: number | null;
  /**
   * Groups of one graph with the same number repeat one another eqn for eqn: they have the same
   * primitives, params (except starts of slices), literals (except indices), avals and wiring. -1
   * for a group that no other repeats.
   */
  alike: number;
  start: number;
  /** Eqns `[start, stop)` of the graph. */
  stop: number;
  /**
   * `for` (also of a comprehension), `while`, `reduce` or `recursion` if the members of a
   * `repeat` are the iterations of a Python loop, which JAX unrolled; else empty.
   */
  loop: string;
  /** The user's line on which that loop begins, from 1; 0 if there is none. */
  loop_line: number;
  /** The difference from its siblings, which are alike: `f32 weights`. Empty for most groups. */
  unlike?: Sentence;
  /**
   * The source of its name: `scope` (a name scope), `function` (on the user's call stack),
   * `library` (a function of a library), `rule` (the function with a rule of a custom derivative),
   * `argument` (the path of its parameters), `line` (the user's lines), `operation`, `part` (of a
   * training step) or empty (the groups in it).
   */
  named_by?: string;
}

/** An abstract value: the shape, dtype and other properties that JAX knows while tracing. */
export interface Aval {
  /** The text that JAX prints: `f32[8,64]`, `key<fry>[]`, `Ref{f32[8]}`. */
  text: string;
  /** `array`, `key`, `ref`, `token`, `tuple` (of optimized HLO) or `other`. */
  kind: string;
  /** Dimensions, symbolic ones by name; None if the kind has no shape. */
  shape: (number | string)[] | null;
  /** `float32`, `key<fry>`; empty if the kind has none. */
  dtype: string;
  weak_type: boolean;
  /**
   * The partition spec (`P('data', None)`), if the type has one. Later stages have their own
   * notation (`{devices=[2,1]<=[2]}`).
   */
  sharding: string | null;
  /** The memory space, if it is not the device's default. */
  memory: string | null;
  /** In optimized HLO: the dimensions, the one that changes fastest first, and tiles: `{1,0}`. */
  layout: string | null;
  /** Bytes of the whole value; None if the size is not a number. */
  bytes: number | null;
}

/** One call on the user's stack. Each is stored once per stage, after its caller (`parent`). */
export interface Frame {
  function: string;
  /** The file's path from the working directory. For a file outside of it: the last two parts. */
  file: string;
  /** From 1, in the file or in the notebook's cell. */
  line: number;
  /** The first character of the expression that makes the call, from 1; 0 if not known. */
  column: number;
  end_line: number;
  /**
   * `end_line` and `end_column` are the place after the expression's last character; 0 if not
   * known.
   */
  end_column: number;
  /** The text of that line, stripped; empty if it could not be read. */
  code: string;
  /** The notebook cell's id. */
  cell: string | null;
  /** The cell's execution count. */
  count: number | null;
  /**
   * True if it is in an installed package, not in a file of the user. JAX's own frames are left
   * out.
   */
  library: boolean;
  parent: number | null;
  /**
   * If this line calls a function with custom rules for its derivative: the functions of the
   * forward and the backward rule of a `custom_vjp` (`flash_fwd flash_bwd`), or of the only rule of
   * a `custom_jvp`. Empty if they are not known.
   */
  rules?: string;
}

/** Names, donation and shardings of the values that a call passes, closes over and returns. */
export interface Call {
  /** The same as `Program.fixed`: they are drawn beside the inputs. */
  fixed: Fixed[];
  /** The user's name for each of the first graph's `constvars`; empty if not known. */
  consts: string[];
  /** The first graph's `invars` that are donated: their memory may be used for results. */
  donated: number[];
  /**
   * For each of the first graph's `invars`, then for each of `outvars`, its partition spec
   * (`P('data')`) if its type does not have it. Empty for a value that is not split, and an empty
   * list if none is split.
   */
  shardings: string[];
  /**
   * The user's name for each of `outvars`, with its keys (`params['w']`), from the function's
   * return statement; `∂params['w']` for a derivative with respect to an argument, and
   * `params['w'] (new)` for a result that replaces an argument. Empty if not certain.
   */
  results: string[];
  /**
   * The axes of the mesh on which arguments and results are split, in its order; empty if there
   * is no mesh, or more than one.
   */
  mesh: MeshAxis[];
  /**
   * The first graph's `invars` that jit was asked to donate, although JAX does not: the program
   * does not use them, or it was traced while `jax_debug_nans` was on. The latter are not in
   * `donated`.
   */
  lost?: number[];
}

/** Bytes on one device, as XLA reports them; None for a number that it does not report. */
export interface Memory {
  arguments: number | null;
  outputs: number | null;
  temporaries: number | null;
  /** The part of the outputs that reuses the memory of donated arguments. */
  aliased: number | null;
  code: number | null;
  peak: number | null;
}

/** The communication between devices that one eqn causes. */
export interface Collective {
  /** Its number: eqns are numbered through all graphs of the stage in their order. */
  eqn: number;
  /** `all-reduce`, `all-gather`, `reduce-scatter`, `all-to-all`, `permute` or `broadcast`. */
  kind: string;
  /** The axes of the mesh along which devices communicate; empty if not known. */
  axes: string[];
  /**
   * The number of devices in one group. For a permute it is the number of senders: in a jaxpr
   * those along its axis, else those of the whole mesh. None if not known.
   */
  devices: number | null;
  /**
   * Bytes that each device sends in one run; if devices differ, the largest number. None if not
   * known. `jaxviz/analysis/collectives` has the formulas.
   */
  sent: number | null;
  /**
   * In optimized HLO: why the partitioner inserted it, in a clause that says how the operands of
   * an eqn are split. Empty if the program itself contains it, and if the cause is not certain.
   */
  cause: string | Sentence;
}

/** A cast to a wider float that one layer makes and its siblings do not. */
export interface Outlier {
  /** Its number: eqns are numbered through all graphs of the stage in their order. */
  eqn: number;
  /** The name of the layer that makes it. */
  layer: string;
  /** The number of repeated layers that do not make it. */
  siblings: number;
  /** True if these layers also run its expression: then nobody wrote it only for this layer. */
  shared: boolean;
}

/**
 * The measured time of each eqn of a stage.
 *
 * The time of an operation is the shortest of its runs, and the mean of several devices.
 */
export interface StageTimes {
  /**
   * Each chain ends with the number of a measured eqn. Before it are the eqns around it, from the
   * first graph on. Its time is that of all its runs at this place, without its bodies. The time of
   * other eqns is not known.
   */
  chains: number[][];
  /** The time of each of `chains`. */
  nanoseconds: number[];
  /** Nanoseconds of all operations, also of those whose eqn is not known. */
  whole: number;
  /** None if the user passed none. */
  peak: Peak | null;
}

/** The machine's largest rates, with which measured rates are compared. */
export interface Peak {
  /** Flops per second. */
  flops: number;
  /** Bytes read and written per second. */
  bytes: number;
  /** True if both were measured on this machine; false if the user passed them. */
  measured: boolean;
}

/** Statistics of an eqn's results in all its runs: each list has one item for each result. */
export interface EqnValues {
  /** Its number: eqns are numbered through all graphs of the stage in their order. */
  eqn: number;
  /**
   * The largest magnitude of the finite elements as text, to three digits, such as `6.18e+04`;
   * empty if no element is finite, and for results that are not floating-point numbers.
   */
  largest: string[];
  /** The number of NaN elements. */
  nan: number[];
  /** The number of infinite elements. */
  inf: number[];
  /** The indices of results that contain only literals of the program. */
  written: number[];
  /**
   * The smallest and the largest finite element as text, such as `-3.2…4.1`; empty if no
   * distribution was made, or no element is finite.
   */
  spread: string[];
}

/**
 * The differences of two programs.
 *
 * The program with this record is made from both. Its one stage has the eqns of both; eqns that
 * match are there once, as in the later program. Types and params that differ have both texts
 * (`f32[8→5,32]`).
 */
export interface Compared {
  /** The earlier program's name. */
  before: string;
  /** The later program's name. */
  after: string;
  /** The differences of the inputs and results. */
  inputs: Change[];
  /**
   * One for each eqn that differs, in their order. If there are none and `inputs` is empty, the
   * programs are equal, except perhaps for the values of `unknown`.
   */
  marks: Mark[];
  /** The closed-over arrays whose values were not compared, by the user's name or by type. */
  unknown: string[];
}

/** One difference between two calls of the same function. */
export interface Change {
  /**
   * `shape`, `dtype`, `weak type`, `values` (of an array that is closed over), `moved` (another
   * place among the inputs or results), `static` (a static value, or an array in its place),
   * `style` (by position or by keyword), `pytree`, `none` (None or array), `config`, `sharding`,
   * `device`, `committed`, `mesh`, `options` (of jit), `class` (defined again, at the places
   * `before` and `after`), `function` (a new function object of the same code), `cleared` (its
   * cache), `first` (there is no earlier call), `order` (JAX does not report which call came first)
   * or `unknown`.
   */
  kind: string;
  /** The user's path to the argument (`params['w']`), or the name of the flag; else empty. */
  where: string;
  before: string | Sentence;
  after: string | Sentence;
}

/** The difference of one eqn between the two programs of a comparison. */
export interface Mark {
  /** Its number: eqns are numbered through all graphs of the stage in their order. */
  eqn: number;
  /**
   * `added`, `removed`, `moved` (the same in another place), `changed` (its params or operands
   * differ) or `retyped` (only the types of its results differ, and params that follow from types,
   * such as a broadcast's `shape`).
   */
  kind: string;
  before: string;
  /**
   * `before` and `after` are the parts that differ, as text: `axes=(0,)`, `f32[8,32]`. Both are
   * empty for an eqn that was added, removed or moved.
   */
  after: string;
}

/** One place in a program or in a log that is wrong, or costs more than it needs to. */
export interface Finding {
  /** The name of its kind (`upcast`, `constant`), as `# jaxviz: ignore upcast` writes it. */
  kind: string;
  /** The fact, in one sentence. */
  what: Sentence;
  /** Its cost, in one sentence. */
  cost: Sentence;
  /** The suggested fix, in one sentence. */
  fix: Sentence;
  /** The help page of the kind, with an example and its fix. */
  page: Page;
  /** The user's line where it begins; None if there is none. */
  at: Frame | null;
  /** The eqns of the jaxpr that it is about, numbered through all graphs in their order. */
  eqns: number[];
  /** The arguments or constants that it is about, by the user's paths. */
  names: string[];
  /** The size of all values that it is about together. */
  bytes: number | null;
  /** A note is worth knowing, but may be meant: it fails no `check`. */
  is_note?: boolean;
}

/** Random numbers or a time that Python code drew while a function was traced. */
export interface Drawn {
  /** `random`, or `time` if a scalar of the program is the time of the trace. */
  kind: string;
  /** The function that draws, as the user names it: `np.random.normal`, `time.time`. */
  source: string;
  /** The user's lines that name the generator or the clock. It is not known which of them ran. */
  frames: Frame[];
  /**
   * The eqns that take the time, numbered through all graphs in their order. Empty if only a
   * result is the time, and for random numbers.
   */
  eqns: number[];
}

/** A value that Python read while a function was traced, and that is another one now. */
export interface FrozenValue {
  function: string;
  /** `scale`, `sim.dt`, `cfg['lr']` */
  path: string;
  /**
   * `value`, `hidden` (a value named like a secret), `array` (another object), `contents` (of the
   * same type, in a NumPy array), `function` or `class` (other code).
   */
  kind: string;
  /** The value at the trace, or the type of an array. */
  before: string;
  now: string;
  /** The types of the traced arguments. */
  types: string;
  /** The line that caused the trace. */
  traced: Frame | null;
  /** The line that reads it. */
  at: Frame | null;
}

/** One fix of a call that failed. */
export interface Fix {
  title: Sentence;
  /**
   * `same result` (the result that Python would compute if it had the values), `other result` (it
   * works, and `differs` says how its result differs) or `sketch` (advice, without an edit).
   */
  promise: string;
  /** The difference, or other information, in one or two sentences; may be empty. */
  differs: Sentence;
  first: number;
  /** Lines `first` to `last` of the cell or file, from 1, are replaced; both are 0 in a sketch. */
  last: number;
  before: string[];
  /** The lines that are replaced, and the new lines. */
  lines: string[];
  /** True if it can be tried: the function is traced with these lines, and nothing is written. */
  tries: boolean;
}

/** One operation between an argument and the value that Python asked for. */
export interface Step {
  op: string;
  /** The user's line; 0 if not known. */
  line: number;
}

/** One of several arrays, or leaves of a loop or a branch, that do not fit together. */
export interface Side {
  /** The user's name. */
  name: string;
  /** For a loop's carry: `given` or `returned`; else empty. */
  role: string;
  /** `f32[4,3]`. */
  type: string;
  /** The axes, from 0, that do not fit the other side. */
  differ: number[];
}

/** One line of a tree: a leaf, or a node above leaves. */
export interface TreeRow {
  /**
   * The key: `['w']`, `[0]`, `.w`. In the first row, the name of a loop's carry, or empty for the
   * result of branches.
   */
  key: string;
  depth: number;
  /** The leaf of each side: `f32[4,3]`; empty if it has no leaf there. */
  types: string[];
  fits: boolean;
}

/**
 * Two pytrees that should be alike: a loop's input and output carry, or the results of two
 * branches.
 */
export interface Tree {
  /** `given` and `returned`, or the names of the branches. */
  sides: string[];
  rows: TreeRow[];
  /** The number of leaves that fit and are left out. */
  others: number;
}

/** The largest value of a program that ran out of memory. */
export interface Largest {
  type: string;
  bytes: number;
  /** The number of the eqn that makes it. */
  eqn: number;
  /** The line that makes it. */
  at: Frame | null;
  /** The bytes that XLA requested, from its message. */
  asked: number | null;
}

/** A help page on a kind of error or finding, in Markdown, in each language. */
export interface Page {
  en: string;
  ko: string;
}

/** The card of an error. */
export interface Card {
  tool: 'explain';
  /** The name of its kind: `condition`, `shapes`, … (`%jaxviz explain KIND` shows its page). */
  kind: string;
  title: string;
  /** The exception's class. */
  error: string;
  /** The reason, in plain words. */
  why: string;
  /** The help page of the kind. It begins with the title and the reason. */
  page: Page;
  /** The failing line, with the columns of the expression that failed. */
  at: Frame;
  /** Lines of the cell or file around the expression. */
  code: string[];
  /** The number of the first of these lines. */
  start: number;
  /** The type of the value that Python asked for; empty if it asked for none. */
  asked: string;
  /** Where that value comes from: `argument x f32[3]`; empty if not known. */
  root: Sentence;
  /** The operations from there to the value. */
  story: Step[];
  sides: Side[];
  /** The pytrees whose leaves do not fit; None for arrays, and if JAX's own frames are gone. */
  tree: Tree | null;
  largest: Largest | null;
  /** The line that made a leaked value. */
  born: Frame | null;
  fixes: Fix[];
}

/** An answer that readers give to a question. */
export interface QuizAnswer {
  /** A choice as its label, or the answer as a reader types it. */
  text: string;
  right: boolean;
  /** The explanation that a reader sees after this answer. Backticks mark code. */
  because: string;
}

/** A question. The page compares the reader's answer, without a kernel. */
export interface Quiz {
  version: number;
  name: string;
  /** The language of its texts: `en` or `ko`. */
  language: string;
  /**
   * The form of an answer: one of the choices, one number, a short text, or a value that only
   * Python can check.
   */
  kind: 'choice' | 'number' | 'text' | 'value';
  /** Backticks mark code. */
  question: string;
  /** The choices in their order, or the right answer and the wrong ones that readers give. */
  answers: QuizAnswer[];
  /** The hint for any other answer; empty if there is none. */
  otherwise: string;
  /** The answer that Python compared; None if there is none. */
  given: string | null;
}

/** A question as an output contains it (MIME type `application/vnd.jaxviz.quiz.v1+json`). */
export interface QuizDisplay {
  version: number;
  /** The version of jaxviz that wrote it; empty if that is not known. */
  jaxviz: string;
  /**
   * A `Quiz` as JSON, deflated (zlib, RFC 1950), in base64: so nobody reads the answer by
   * accident.
   */
  quiz: string;
}

/**
 * The first view of a program, chosen by its author.
 *
 * The options of `%jaxviz` and of `Program.opened` set its members.
 *
 * For a member that is absent, the reader's settings in JupyterLab decide, and then our default.
 * All members except `memory` are only about the first view: they do not undo what the reader
 * opens or colours later.
 *
 * It is the only record whose members may be absent. Each member is an option of the same name.
 * Its `description` is the option's help, and its `examples` are in the message about a wrong
 * value.
 */
export interface Opening {
  /** The stage to show first: jaxpr, stablehlo or hlo. By default the jaxpr, or the stage in JupyterLab's settings. */
  stage?: ('hlo' | 'jaxpr' | 'stablehlo') | null;
  /** The number of levels of groups, loops and calls that are open at first. 1 opens the outermost that are drawn, 0 none. By default the most informative ones are open, if there is room. */
  depth?: number | null;
  /** The most boxes to show at first. By default as many as the view has room for, or the number in JupyterLab's settings; with a depth, all of them. */
  boxes?: number | null;
  /** The property that the colours of the boxes show at first. One of family, dtype, scope, flops and bytes. By default the family of each op, or in a comparison the changes. */
  colours?: ('bytes' | 'dtype' | 'family' | 'flops' | 'scope') | null;
  /** The memory of a device, in GiB (16, 0.6) or with its unit (600MiB). With HLO, the view says whether the program fits into it, by how much, and which line makes the largest value, by XLA's estimate. */
  memory?: number | null;
}

/** A program of a job, and its processes. */
export interface JobProgram {
  processes: number[];
  /** Its difference from the program of most processes, in a clause; empty for that program. */
  differs: string | Sentence;
  /**
   * The program as in `Display.program`, compared with that of most processes. None for the one
   * that `Display.program` has itself. Empty if it could not be compared, or is too large to
   * save.
   */
  program: string | null;
}

/**
 * The report of one process on its program: names and digests, no arrays.
 *
 * Examples
 * --------
 * >>> import jax.numpy as jnp, jaxviz
 * >>> [one] = jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0)).processes
 * >>> (one.process, one.function)
 * (0, 'sin')
 */
export interface ProcessProgram {
  /** Its number: `jax.process_index()`. */
  process: number;
  function: string;
  /** The version of JAX. */
  jax: string;
  /** A digest of the jaxpr, and of the inputs and results with their types. */
  jaxpr: string;
  /** A digest of the StableHLO, which includes shardings and the function's name. */
  stablehlo: string;
  /** The time of its call of `agree`: seconds since 1970, by the clock of its host. */
  came: number;
  /** The seconds of lowering the program for its digest. */
  lowered: number;
  /** The seconds of tracing the call earlier. */
  traced: number;
  /** The seconds of compiling it earlier; 0 if its HLO was not requested. */
  compiled: number;
}

/** The reports of a job's processes; the fields are those of `jaxviz.Agreement`. */
export interface JobAgreement {
  processes: ProcessProgram[];
  missing: number[];
  lowering: number[];
  timeout: number;
  process: number;
  gone_on: number[];
}

/** The programs of a job, and in a file the reports of its processes. */
export interface Job {
  tool: 'agree';
  /** The program of most processes first. Empty if all have the same. */
  held: JobProgram[];
  /**
   * The text that `print` shows of the agreement, above the programs. Empty in a notebook's
   * output, which has it as printed text.
   */
  text: string;
  /** None in a notebook's output. */
  agreement: JobAgreement | null;
}

/**
 * A `where` that hides a NaN in the values, and not in their derivatives: in the backward pass
 * the other branch is differentiated, too.
 */
export interface Hidden {
  /** The line of the `where`. */
  choice: Frame;
  /** The line whose derivative is not finite. */
  at: Frame;
  /** The operation that needs a chosen input: `sqrt`, or an expression such as `1 / r`. */
  before: string;
}

/**
 * The first NaN, or infinity, of those that reached a result.
 *
 * Examples
 * --------
 * >>> import jax.numpy as jnp, jaxviz
 * >>> origin = jaxviz.find_nan(lambda x, y: (x / y).sum())(jnp.zeros(3), jnp.zeros(3)).nan
 * >>> (origin.op, origin.index, origin.type)
 * ('div', (0,), 'f32[3]')
 */
export interface NanOrigin {
  /** `NaN` or `infinity`. */
  kind: string;
  at: string;
  /**
   * The eqn or argument, and the result that it reached, by their ids in the program's picture:
   * `3.0/5` is eqn 5 in the first body of eqn 3, `in0` the first argument, `const0` the first
   * constant, `out0` the first result. Both are the result if the function returns a constant.
   */
  to: string;
  /** The argument that contained it; then all fields of an eqn are empty. */
  argument: string | null;
  /** The eqn's primitive, such as `log`; empty if no eqn made it. */
  op: string;
  /**
   * True if it comes from a constant of the program, such as `jnp.nan`: one that the eqn reads,
   * or that its branch, its body or the function returns.
   */
  constant: boolean;
  graph: number;
  /** `graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`; -1 if there is none. */
  eqn: number;
  /** The user's line; None for an argument, and for eqns without a line of the user. */
  frame: Frame | null;
  /**
   * True if the eqn is in the backward pass. The line is then that of the forward eqn whose
   * derivative it is.
   */
  backward: boolean;
  /** The loops and branches around it, outermost first: `scan, index 37`. */
  around: (string | Sentence)[];
  /**
   * The first flawed element. The result follows from it; empty if this is unknown for every
   * element.
   */
  index: number[];
  /** The type of the array with that element: `f32[8,3]`. */
  type: string;
  /**
   * The number of flawed elements, if it is unknown from which of them the result follows; else
   * 1.
   */
  one_of: number;
  /** The device of the mesh, counted along its axes, if it was in `shard_map`. */
  device: number | null;
  /** The name of the result that it reached in the program's picture: `∂x`, `result[0]`. */
  result: string;
  /** The `where` that does not help; None if there is none. */
  hidden: Hidden | null;
  /**
   * True if it met flaws of other origins in one array, and an eqn omitted a part of that array.
   * One of those may have reached the result.
   */
  others: boolean;
}

/** The origins of the NaN and of the first infinity of one run. */
export interface NanOrigins {
  tool: 'find_nan';
  origins: NanOrigin[];
  /** Debug prints and callbacks, which were not repeated. */
  left_out: string[];
  /** True if the program has a `pure_callback`, which ran again. */
  run_again: boolean;
}

/** The number of instructions of one opcode before and after a pass. */
export interface OpCount {
  op: string;
  before: number;
  after: number;
}

/** A pass that changed the program, or a change of XLA between two passes. */
export interface Pass {
  /** The pipeline that it belongs to; empty after the last pipeline. */
  pipeline: string;
  /** XLA's name of the pass: `algsimp`. Empty for a change between passes. */
  name: string;
  /**
   * The number of instructions after it, in all computations, counted as in the stage after
   * it.
   */
  instructions: number;
  /** The opcodes whose number changed, the largest change first. */
  ops: OpCount[];
  /**
   * The eqns of the jaxpr, by number, after which no instruction is named from here on: the pass
   * folded, removed or renamed it. Optimized HLO has no instruction of theirs, not even by a
   * guess.
   */
  gone: number[];
}

/** XLA's passes over a program, in order. */
export interface Passes {
  tool: 'passes';
  /** The number of instructions before the first pass. */
  before: number;
  passes: Pass[];
  /** The eqns after which no instruction was named even before the first pass. */
  unnamed: number[];
  /**
   * The bytes of constants that XLA would write to a private folder for a moment, if the reader
   * has to agree first. Then there are no passes here. None if no agreement is needed.
   */
  constants: number | null;
}

/** The part of an instruction's time that belongs to one eqn. */
export interface EqnShare {
  graph: number;
  /** `graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`. */
  eqn: number;
  /** The eqn's primitive. */
  op: string;
  /** The user's line. */
  frame: Frame | null;
  /** Between 0 and 1. The shares of an instruction add up to 1. */
  share: number;
  /**
   * The eqns around it and itself, the outermost first, by their numbers through all graphs: it
   * distinguishes the calls of a shared body.
   */
  path: number[];
}

/**
 * The time of one instruction of the compiled program on one device, in one run of the program.
 * A moment in which several ran in parallel is divided among them.
 */
export interface InstructionTime {
  /** The device's number among those of this process, from 0. */
  device: number;
  /** The name in the text of the stage `hlo`, without `%`: `fusion.3`. */
  name: string;
  /** The instruction's opcode: `fusion`, `dot`, `while`. */
  op: string;
  /** The number of its runs in one run of the program, as in a loop. */
  calls: number;
  /** The seconds in the fastest run. */
  seconds: number;
  /** The median of the runs, in seconds. */
  median: number;
  /** The eqns that it was made for; empty if XLA does not say. */
  parts: EqnShare[];
  /**
   * The flops of all calls, by jaxviz's count. None if unknown, and for loops and the like, whose
   * time excludes the instructions that they run.
   */
  flops: number | null;
  /** The bytes that all calls read and write; None as for `flops`. */
  bytes: number | null;
}

/** The times of the iterations of one loop on one device, in one run of the program. */
export interface LoopTime {
  device: number;
  /** The instruction, as in the text of the stage `hlo`, without `%`. */
  name: string;
  /** The eqn that it was made for; empty if XLA does not say. */
  parts: EqnShare[];
  /**
   * The seconds of the instructions of each iteration: the shortest of all runs. If the loop runs
   * several times, within another, its iterations follow one another. Empty if they cannot be
   * distinguished: XLA compiles small loops whole.
   */
  turns: number[];
}

/** The time of one line of the user in one run; for several devices the mean. */
export interface LineTime {
  /** The line; None for time that belongs to no line of the user. */
  frame: Frame | null;
  /** The primitives of the line that took time, longest first; in an output at most five. */
  ops: string[];
  graph: number;
  /**
   * `graph` and `eqn` find the longest one in `jaxviz.inspect(f)(...).stage("jaxpr")`; -1 if no
   * eqn is known.
   */
  eqn: number;
  seconds: number;
  /** The share of the time of all lines, between 0 and 1. */
  share: number;
}

/** The iterations of a loop in short, in seconds. */
export interface TimedLoop {
  frame: Frame | null;
  op: string;
  /** The number of iterations; 0 if they cannot be distinguished. */
  turns: number;
  shortest: number;
  middle: number;
  longest: number;
  /** The longest iteration. */
  slowest: number;
}

/** All measurements of a profile. */
export interface Measurements {
  rows: InstructionTime[];
  /** For each run, the seconds from the call until its results were available. */
  wall: number[];
  /**
   * For each run under the profiler, the seconds from the begin of the first instruction to the
   * end of the last, on the device on which this took longest.
   */
  inside: number[];
  /** The part of these seconds in which no instruction ran. */
  between: number[];
  loops: LoopTime[];
  /** The peak rates of the machine, if requested. */
  peak: Peak | null;
}

/** The times of some runs of a program, the longest line first. */
export interface Times {
  tool: 'profile';
  lines: LineTime[];
  /** The number of lines that are left out. */
  more: number;
  runs: number;
  /** The seconds of the fastest run, from the call until its results were available. */
  best: number;
  /** The seconds of the median run. */
  median: number;
  /**
   * The seconds from the begin of the first instruction to the end of the last, in the run with
   * the fewest.
   */
  inside: number;
  /** The part of `inside` in which no instruction ran. */
  between: number;
  /** The loops of the program on its first device, at most 20. */
  loops: TimedLoop[];
  /** Debug prints and callbacks, which were not repeated. */
  left_out: string[];
  /** True if the program has a `pure_callback`, which ran each time. */
  run_again: boolean;
  /**
   * True if these are the runs of a cell as it ran. Then `best` and `median` are from a run's
   * first instruction to its last, and nothing was run again.
   */
  in_cell: boolean;
  buffers: '' | 'hide' | 'off';
  /** All measurements, in a file; None in a notebook's output. */
  measured: Measurements | null;
}

/**
 * A height for each iteration of a loop, or for each power of 2. For a long loop, a bar is the
 * maximum of a few iterations.
 */
export interface Bars {
  /** The iteration, or the power, of the first bar. */
  first: number;
  /** The number of iterations of one bar. */
  each: number;
  /** The number of iterations or powers. */
  count: number;
  /** The largest finite magnitudes for iterations, the numbers of elements for powers. */
  heights: number[];
  /** The bars with an element that was NaN or infinite. */
  flawed: number[];
}

/** The spread of the finite elements of a result, as in `jaxviz.Distribution`. */
export interface ValueDistribution {
  finite: number;
  smallest: number | null;
  greatest: number | null;
  mean: number | null;
  deviation: number | null;
  zeros: number;
  subnormals: number;
  exponents: Bars | null;
  turns: Bars | null;
}

/**
 * The first result that a line of the user made: one that is not finite, else the largest. If
 * lines were named, any result of these.
 */
export interface LineValues {
  /** The line; None for eqns without a line of the user. */
  frame: Frame | null;
  /** The eqn, numbered through all graphs in their order. */
  eqn: number;
  /** The index of the result among those of the eqn, from 0. */
  result: number;
  op: string;
  /** The type of the result: `f32[8,3]`. */
  type: string;
  /** The largest magnitude of its finite elements, to three digits; None if there is none. */
  largest: number | null;
  /** The number of elements that were NaN, over all the times that the eqn ran. */
  nan: number;
  /** The number of infinite elements, counted as for NaN. */
  inf: number;
  /** The spread of its elements, if lines were named. */
  distribution: ValueDistribution | null;
}

/**
 * The values of one run: lines with elements that are not finite first, then those with the
 * largest.
 */
export interface Statistics {
  tool: 'statistics';
  lines: LineValues[];
  /** The number of lines that are left out. */
  more: number;
  /** Debug prints and callbacks, which were not repeated. */
  left_out: string[];
  /** True if the program has a `pure_callback`, which ran again. */
  run_again: boolean;
}

/** The values of some eqns in one more run. */
export interface PartValues {
  eqns: EqnValues[];
  /** Each of their results, with its distribution, in the order of the program. */
  results: LineValues[];
}

/** A user's name and its value after a line. */
export interface Bound {
  name: string;
  /**
   * `traced` (JAX knows only its type, or that of a part of it), `array` (a concrete array with
   * its values), `static` (a plain Python value) or `object` (with unknown contents). An object that
   * contains a traced value, such as a model, is traced. Else one that contains an array is an
   * array.
   */
  kind: string;
  /**
   * The type of a traced value or an array (`f32[2,3]`), the text of other values (`(2, 3)`), or
   * their type and their number of arrays (`MLP with 6 arrays`).
   */
  text: string;
}

/** One line that ran, the beginning of a call, or eqns that no line added. */
export interface TraceStep {
  /**
   * `enter` (a call begins: `bound` has its arguments), `line`, `return` (the last line of a
   * call) or `rest` (the last step: eqns that no line of the user added).
   */
  kind: string;
  /** The line, as an index into `Steps.frames`; the first line of an entered function. */
  frame: number;
  /** The number of nested calls of the user's functions; 0 in the function itself. */
  depth: number;
  /** The names that the line set. */
  bound: Bound[];
  /**
   * The eqns that it added to the jaxpr, including those that library code added to their bodies,
   * numbered through all graphs in their order.
   */
  eqns: number[];
  printed: string;
  /** The called functions whose Python did not run, and why. */
  notes: Sentence[];
}

/** All steps of one trace, in their order. */
export interface Steps {
  tool: 'steps';
  frames: Frame[];
  steps: TraceStep[];
  /** The omissions of the steps, and why. */
  notes: Sentence[];
}

/** The median of several runs, in seconds, between their quartiles. */
export interface Spread {
  low: number;
  median: number;
  high: number;
  runs: number;
}

/** The times of one call of a function, step by step, in seconds. */
export interface Timing {
  function: string;
  size: number | null;
  eqns: number;
  trace: number;
  lower: number;
  compile: number;
  first_run: number;
  /** Calls of the compiled program, until their results are available. */
  jitted: Spread;
  /** Calls without jit, op by op; None if that fails. */
  eager: Spread | null;
}

/** The times of several calls: of one function or more, for one size or more. */
export interface Timed {
  tool: 'timeit';
  timings: Timing[];
  /** The conclusion on each of them. */
  said: Sentence[];
  /**
   * The program of each, as `Display.program`; empty if there is only one, and if they are too
   * large to save.
   */
  programs: string[];
}

/** The view shows the program's findings, without the program: `program.findings`. */
export interface FindingsAlone {
  tool: 'findings';
}

/** A report with its program, as a file contains it. */
export interface SavedReport {
  version: number;
  program: Program;
  report: Card | FindingsAlone | Job | NanOrigins | Passes | Statistics | Steps | Timed | Times;
}

/** A program as an output contains it (MIME type `application/vnd.jaxviz.v1+json`). */
export interface Display {
  version: number;
  /** The version of jaxviz that wrote it; empty if that is not known. */
  jaxviz: string;
  /** A `Program` as `jaxviz/display/wire` encodes it, in base64. */
  program: string;
  /** The parts that were left out of a program too large to save. */
  partial: Sentence | null;
  opening: Opening;
  /** The kernel's name for the program. The page uses it to ask for later stages. */
  key: string;
  /**
   * The difference from the program that the cell showed in its last run: `changed`, `same` if
   * only the code changed, or empty if there is nothing to say.
   */
  since: string;
  /**
   * A tool's report on the program. With an error's card, the program is the part that JAX had
   * recorded when the error was raised, and may be empty. If the report has several programs, this
   * is the first.
   */
  report:
    (Card | FindingsAlone | Job | NanOrigins | Passes | Statistics | Steps | Timed | Times) | null;
  /** True if the page may ask for the steps of its trace. Then the function runs once more. */
  can_step: boolean;
}

/** One property that JAX compares when it looks up a call in its cache. */
export interface CacheColumn {
  /** The argument, as in `Change.where`; empty for a property of the whole call. */
  where: string;
  /** A value of `Change.kind`: `shape`, `dtype`, `weak type`, `static`… */
  kind: string;
}

/** One program of the function. */
export interface CacheRow {
  /** `Event.number` of its trace; None if the log has only calls that found the program. */
  number: number | null;
  /** The user's line that caused the trace. */
  site: Frame | null;
  /** The trace's value in each column; `?` if that is not known. */
  cells: (string | Sentence)[];
  /** The columns in which it differs from the most similar row above it. */
  differs: number[];
}

/** A call of the function, or several equal calls in a row. */
export interface CacheCall {
  /** The row of the program that the call made or found. */
  row: number;
  /**
   * `miss` if it was traced, `hit` if JAX's caches had its program, `compiled again` if they had
   * only its trace, and `traced earlier` if jaxviz had traced it, to show it.
   */
  end: string;
  /** The user's line of the call. */
  site: Frame | null;
  times: number;
  /**
   * For a hit: the dtype that JAX narrowed an array to, `x: float64 taken as float32`. Otherwise
   * empty.
   */
  narrowed: string | Sentence;
}

/** The programs of one function, and the columns in which their calls differ. */
export interface CacheTable {
  name: string;
  definition: Frame | null;
  /** The columns in which rows differ; for a single program, those of its arguments. */
  columns: CacheColumn[];
  /** The number of columns that are left out. */
  more: number;
  /** The first programs, in the order in which they were traced or found. */
  rows: CacheRow[];
  /**
   * Traces, programs compiled again, and the calls answered by JAX's caches whose program is
   * known.
   */
  calls: CacheCall[];
  /** The number of calls that JAX's caches answered; None if they were not counted. */
  hits: number | null;
  /** The number of traced programs that are left out. */
  omitted: number;
}

/** One trace, lowering or compilation of a function of the user or of a library. */
export interface Event {
  number: number;
  /** `trace`, `lower` or `compile`. */
  kind: string;
  name: string;
  definition: Frame | null;
  /** The user's innermost line that caused it. */
  site: Frame | null;
  /** Seconds since 1970. */
  start: number;
  seconds: number;
  /** The number of traces, lowerings and compilations that it is nested in. */
  depth: number;
  /** A library wrote the function and made the jit. The reader can change only its arguments. */
  library: boolean;
  thread: string;
  /** For a trace: the number of eqns of the jaxpr, with those of its bodies, each body once. */
  eqns: number | null;
  /**
   * For a trace: the function had been traced before. For a lowering or compilation: the same
   * program had been lowered or compiled before, so there is no trace for it.
   */
  again: boolean;
  /** For a lowering or compilation: the number of the trace that made the program. */
  of: number | null;
  /**
   * JAX did not announce this trace. From version 0.10 on it announces none inside another, or
   * under grad and vmap. jaxviz found it afterwards, and its time is that of the trace around it.
   */
  implied: boolean;
  /**
   * For a trace: the body ran earlier, when jaxviz captured a call. The user's call found the
   * program in JAX's cache, so `seconds` is 0.
   */
  looked: boolean;
  /** Why it happened. Empty for a lowering or compilation that follows a trace. */
  reason: Change[];
  /** The number of changes that are left out of `reason`. */
  more: number;
  /**
   * For a trace: the number of the earlier trace that `reason` compares it with, the one that
   * differs least.
   */
  against: number | null;
  /** A suggested fix, as one line; its text may be empty. */
  hint: Sentence;
  /** For a compilation: true if the persistent cache had it; None if no such cache is used. */
  cached: boolean | null;
  /**
   * For a compilation that the persistent cache had: the seconds that this saved at least, as JAX
   * reports them. JAX stores whole seconds, so the number is negative for short compilations. None
   * otherwise.
   */
  saved: number | null;
  /** The class of the exception that ended it. */
  error: string | null;
  /** The user's innermost line that raised that exception; None if not known. */
  failed: Frame | null;
}

/** The counts of one function. */
export interface Function {
  name: string;
  definition: Frame | null;
  /** The same as `Event.library`. */
  library: boolean;
  traces: number;
  retraces: number;
  lowerings: number;
  /** The lowerings without a new trace. */
  relowerings: number;
  compiles: number;
  /** The compilations without a new trace. */
  recompiles: number;
  /** The time of all of them together. A trace inside another counts in both functions. */
  seconds: number;
  /** Why it was last traced, lowered or compiled again. */
  reason: Change[];
  hint: Sentence;
  /**
   * The number of calls that JAX's caches answered in each slice of the log's time (`Log.slice`
   * seconds), from its start; None if they were not counted.
   */
  hits: number[] | null;
}

/** One distinct reason of a cause (`x: f32[256→1024, 8]`), and the number of its events. */
export interface Variant {
  reason: Change[];
  times: number;
}

/**
 * Why a function was traced, lowered or compiled again, and how often.
 *
 * It sums up all events of one function whose changes have the same kinds in the same places.
 */
export interface Cause {
  /** Index into the log's `functions`. */
  function: number;
  /** The same as `Event.kind`. */
  kind: string;
  /** The changes of the latest event. */
  reason: Change[];
  /** The first distinct reasons, in the order of their events. */
  values: Variant[];
  /** The number of events whose reason is not in `values`. */
  others: number;
  /** The same as `Event.more`. */
  more: number;
  hint: Sentence;
  times: number;
  /** The time of these events, and of the lowerings and compilations that followed the traces. */
  seconds: number;
  /** The number of the first event. */
  first: number;
  /** The number of the latest event. */
  last: number;
}

/** Counts of JAX's own functions, and of library functions that are not in a log's events. */
export interface Totals {
  traces: number;
  lowerings: number;
  compiles: number;
  seconds: number;
}

/** A property in which the programs of an op differ, and the number of its values: 5 shapes. */
export interface Variety {
  /**
   * `shape`, `dtype`, `weak type`, `static value` or `placement`; `program` if JAX compiles the
   * op as several programs.
   */
  kind: string;
  count: number;
}

/**
 * An op that was compiled on its own, outside jit, at one of the user's lines: `jnp.sin`.
 *
 * JAX compiles an op when it first runs with arguments of these types. Later runs are not counted.
 */
export interface Op {
  /** The name that the user would write, if it is known. */
  name: string;
  /** The user's line. */
  site: Frame | null;
  traces: number;
  compiles: number;
  /** Why it was compiled more than once; empty if that is not known. */
  reason: Variety[];
  seconds: number;
  /**
   * The times at which it was compiled: start, end, start, end and so on, in seconds since 1970.
   * If there are too many, only the first ones.
   */
  spans: number[];
}

/** A compiled program that ran while a cell was profiled. */
export interface RanProgram {
  /** The `id` of its `HloModuleProto`. It differs between programs of the same name. */
  number: number;
  name: string;
  /** The number of its runs while the profiler was on. */
  calls: number;
  /** The number of all calls of its function; None if all of them were measured. */
  of: number | null;
  /**
   * The time of all these runs, each from the start of its first instruction to the end of its
   * last one.
   */
  seconds: number;
  /** The time of the shortest run. */
  best: number;
  median: number;
  /**
   * The times at which it ran: start, end, start, end and so on, in seconds since 1970. If there
   * are too many, neighbouring runs are merged.
   */
  spans: number[];
  /** True if its function is known: then the page can show the time of each line. */
  known: boolean;
}

/** A Python loop that ran many small programs one by one while a cell was profiled. */
export interface PythonLoop {
  /** The line on which the loop begins. */
  site: Frame;
  /** The number of its programs' runs. */
  programs: number;
  /** The time of the loop, from its first run to its last. */
  seconds: number;
  /** The part of `seconds` in which XLA ran a program. */
  running: number;
  /**
   * The times of the loop: start, end, start, end and so on, in seconds since 1970. If there are
   * too many, neighbouring ones are merged.
   */
  spans: number[];
}

/**
 * The parts of a profiled cell's time.
 *
 * `running`, `making`, `moving` and `rest` add up to `seconds`. Time in which several threads did
 * different things counts only for the first of these four.
 */
export interface CellTimes {
  /** Seconds since 1970. */
  start: number;
  /** The time during which the profiler was on. */
  seconds: number;
  /** Why the profiler ended before the cell: `time`, `events` or `memory`; empty if it did not. */
  ended: string;
  /** Seconds in which a compiled program ran. */
  running: number;
  /** Seconds in which JAX traced, lowered or compiled. */
  making: number;
  /** Seconds in which arrays were moved to a device or from it. */
  moving: number;
  /** The rest: Python, and waiting. */
  rest: number;
  /** The part of `seconds` before the first program ran. */
  before: number;
  /** The part of `seconds` after the last program had ended. */
  after: number;
  /** At most 100 programs, the most expensive first. */
  programs: RanProgram[];
  /**
   * At most 5 Python loops that called JAX's functions outside jit, the ones with the most calls
   * first.
   */
  loops?: PythonLoop[];
}

/** The traces, lowerings and compilations of a cell, or of a `watch()`. */
export interface Log {
  version: number;
  jax: string;
  /** Seconds since 1970. */
  start: number;
  /** The time from its start until now, or until it ended. */
  seconds: number;
  running: boolean;
  /**
   * The part of `seconds` in which JAX traced, lowered or compiled anything, also its own
   * functions. Time in which several threads did so counts once.
   */
  making: number;
  /** In the order of their first events. */
  functions: Function[];
  /** The most expensive first. */
  causes: Cause[];
  /** In the order in which they ended. If there are too many, only the first and the latest. */
  events: Event[];
  /** The number of events that are not in `events`. All other numbers count them. */
  omitted: number;
  apart: Totals;
  /**
   * The ops that were compiled on their own, in the order of their first compilation. If there
   * are too many, the last entry sums up the rest. All of them are also counted in `apart`.
   */
  ops: Op[];
  /** The programs of functions that have several programs, or cache hits. */
  caches: CacheTable[];
  /** True if the user first guesses for each call whether it was a hit. */
  predict: boolean;
  /** The seconds of a slice of `Function.hits`. */
  slice: number;
  /** The class of the exception that ended it. */
  error: string | null;
  /** Facts that this version of JAX does not provide. */
  notes: Sentence[];
  /** The parts of the cell's time. None if it was not profiled, or the profile has not ended. */
  profile: CellTimes | null;
  /** Values that a jitted function keeps although they are others now. */
  findings?: Finding[];
}

/** A log as an output contains it (MIME type `application/vnd.jaxviz.log.v1+json`). */
export interface LogDisplay {
  version: number;
  /** The version of jaxviz that wrote it; empty if that is not known. */
  jaxviz: string;
  /** A `Log` as JSON, deflated (zlib, RFC 1950), in base64. */
  log: string;
  /** True if the page shows it as one line at first. */
  strip: boolean;
  /** The kernel's name for the log. The page uses it to ask for the programs of traces. */
  key: string;
}

/** A program that a cell shows, and about which the page can ask the kernel. */
export interface Capture {
  /** The same as `Display.key`. */
  key: string;
  name: string;
  /** The number of eqns of its jaxpr, with those of its bodies, each body once. */
  eqns: number;
  /** The id of the cell that shows it. */
  cell: string | null;
  /** That cell's execution count. */
  count: number | null;
  /** The function's first line; None if its code could not be read. */
  definition: Frame | null;
}

/**
 * Everything that a kernel has traced and captured.
 *
 * Its `log` includes all other logs of this kernel.
 */
export interface Panel {
  version: number;
  /** True after `%jaxviz on`, until `%jaxviz off`. */
  watching: boolean;
  log: Log;
  /** In the order in which they were shown. */
  captures: Capture[];
  /** The number of retraces, relowerings and recompilations since the last cell began. */
  since: number;
  /** The number of these that compiled without a trace. */
  recompiled?: number;
  /** The number of these that only lowered. */
  relowered?: number;
}

const BOOLEAN = { type: 'boolean' } as const;
const INTEGER = { type: 'integer' } as const;
const NULL = { type: 'null' } as const;
const NUMBER = { type: 'number' } as const;
const STRING = { type: 'string' } as const;
const ref = /* @__NO_SIDE_EFFECTS__ */ (name: string) => ({ $ref: `#/definitions/${name}` });
const list = /* @__NO_SIDE_EFFECTS__ */ <T>(items: T) => ({ type: 'array', items }) as const;
const maybe = /* @__NO_SIDE_EFFECTS__ */ <T>(one: T) => ({ anyOf: [one, NULL] }) as const;

/** The fields of each record as JSON Schema: all are required but those with a default, and no others allowed. */
export const RECORDS = {
  Sentence: {"key": STRING, "parts": list({"anyOf": [STRING, INTEGER, ref("Sentence")]}), "text": STRING},
  Param: {"name": STRING, "value": STRING, "size": INTEGER},
  Dot: {"kind": {"enum": ["dot"]}, "lhs": list(INTEGER), "rhs": list(INTEGER), "lhs_batch": list(INTEGER), "rhs_batch": list(INTEGER)},
  Convolution: {"kind": {"enum": ["convolution"]}, "lhs": STRING, "rhs": STRING, "out": STRING, "strides": list(INTEGER), "padding": list(INTEGER), "lhs_dilation": list(INTEGER), "rhs_dilation": list(INTEGER), "activated": BOOLEAN},
  Sizes: {"kind": {"enum": ["sizes"]}, "sizes": list(INTEGER)},
  Dimensions: {"kind": {"enum": ["dimensions"]}, "dimensions": list(INTEGER)},
  Groups: {"kind": {"enum": ["groups"]}, "axes": list(STRING), "count": INTEGER, "size": INTEGER, "devices": list(INTEGER), "dims": list(INTEGER), "order": list(INTEGER), "dimensions": list(INTEGER)},
  Pairs: {"kind": {"enum": ["pairs"]}, "axes": list(STRING), "sources": list(INTEGER), "targets": list(INTEGER)},
  MeshAxis: {"name": STRING, "size": INTEGER},
  Manual: {"kind": {"enum": ["manual"]}, "mesh": list(ref("MeshAxis")), "axes": list(STRING)},
  Sharding: {"kind": {"enum": ["sharding"]}, "spec": STRING, "mesh": list(ref("MeshAxis")), "memory": STRING},
  Aval: {"text": STRING, "kind": STRING, "shape": maybe(list({"anyOf": [INTEGER, STRING]})), "dtype": STRING, "weak_type": BOOLEAN, "sharding": maybe(STRING), "memory": maybe(STRING), "layout": maybe(STRING), "bytes": maybe(INTEGER)},
  Leaf: {"path": STRING, "aval": ref("Aval")},
  Var: {"name": STRING, "aval": INTEGER, "literal": BOOLEAN, "named": {"type": "string", "default": ""}},
  Body: {"label": STRING, "graph": INTEGER, "inputs": list(INTEGER), "outputs": list(INTEGER)},
  Cost: {"flops": maybe(INTEGER), "transcendentals": maybe(INTEGER), "bytes": maybe(INTEGER), "least": BOOLEAN},
  Peak: {"flops": INTEGER, "bytes": INTEGER, "measured": BOOLEAN},
  StageTimes: {"chains": list(list(INTEGER)), "nanoseconds": list(INTEGER), "whole": INTEGER, "peak": maybe(ref("Peak"))},
  EqnValues: {"eqn": INTEGER, "largest": list(STRING), "nan": list(INTEGER), "inf": list(INTEGER), "written": list(INTEGER), "spread": list(STRING)},
  Eqn: {"op": STRING, "name": STRING, "invars": list(INTEGER), "outvars": list(INTEGER), "roles": list(STRING), "params": list(ref("Param")), "attributes": maybe({"anyOf": [ref("Dot"), ref("Convolution"), ref("Sizes"), ref("Dimensions"), ref("Groups"), ref("Pairs"), ref("Manual"), ref("Sharding")]}), "bodies": list(ref("Body")), "effects": list(STRING), "frame": maybe(INTEGER), "call": maybe(INTEGER), "inherited": BOOLEAN, "scope": INTEGER, "span": maybe(list(INTEGER)), "origin": list(INTEGER), "guess": BOOLEAN, "own": {"anyOf": [STRING, ref("Sentence")]}, "trips": maybe(INTEGER), "cost": maybe(ref("Cost")), "was": {"type": "array", "items": INTEGER, "default": []}},
  Group: {"name": STRING, "kind": STRING, "role": STRING, "parent": maybe(INTEGER), "twin": maybe(INTEGER), "alike": INTEGER, "start": INTEGER, "stop": INTEGER, "loop": STRING, "loop_line": INTEGER, "unlike": {"$ref": "#/definitions/Sentence", "default": {"key": "", "parts": [], "text": ""}}, "named_by": {"type": "string", "default": ""}},
  Graph: {"name": STRING, "vars": list(ref("Var")), "constvars": list(INTEGER), "invars": list(INTEGER), "outvars": list(INTEGER), "args": list(STRING), "results": list(STRING), "eqns": list(ref("Eqn")), "groups": list(ref("Group")), "effects": list(STRING)},
  Frame: {"function": STRING, "file": STRING, "line": INTEGER, "column": INTEGER, "end_line": INTEGER, "end_column": INTEGER, "code": STRING, "cell": maybe(STRING), "count": maybe(INTEGER), "library": BOOLEAN, "parent": maybe(INTEGER), "rules": {"type": "string", "default": ""}},
  Fix: {"title": ref("Sentence"), "promise": STRING, "differs": ref("Sentence"), "first": INTEGER, "last": INTEGER, "before": list(STRING), "lines": list(STRING), "tries": BOOLEAN},
  Step: {"op": STRING, "line": INTEGER},
  Side: {"name": STRING, "role": STRING, "type": STRING, "differ": list(INTEGER)},
  TreeRow: {"key": STRING, "depth": INTEGER, "types": list(STRING), "fits": BOOLEAN},
  Tree: {"sides": list(STRING), "rows": list(ref("TreeRow")), "others": INTEGER},
  Largest: {"type": STRING, "bytes": INTEGER, "eqn": INTEGER, "at": maybe(ref("Frame")), "asked": maybe(INTEGER)},
  Page: {"en": STRING, "ko": STRING},
  Card: {"tool": {"enum": ["explain"]}, "kind": STRING, "title": STRING, "error": STRING, "why": STRING, "page": ref("Page"), "at": ref("Frame"), "code": list(STRING), "start": INTEGER, "asked": STRING, "root": ref("Sentence"), "story": list(ref("Step")), "sides": list(ref("Side")), "tree": maybe(ref("Tree")), "largest": maybe(ref("Largest")), "born": maybe(ref("Frame")), "fixes": list(ref("Fix"))},
  QuizAnswer: {"text": STRING, "right": BOOLEAN, "because": STRING},
  Quiz: {"version": INTEGER, "name": STRING, "language": STRING, "kind": {"enum": ["choice", "number", "text", "value"]}, "question": STRING, "answers": list(ref("QuizAnswer")), "otherwise": STRING, "given": maybe(STRING)},
  QuizDisplay: {"version": INTEGER, "jaxviz": STRING, "quiz": STRING},
  Opening: {"stage": {"anyOf": [{"enum": ["hlo", "jaxpr", "stablehlo"]}, NULL], "default": null}, "depth": {"anyOf": [{"type": "integer", "minimum": 0}, NULL], "default": null}, "boxes": {"anyOf": [{"type": "integer", "minimum": 1}, NULL], "default": null}, "colours": {"anyOf": [{"enum": ["bytes", "dtype", "family", "flops", "scope"]}, NULL], "default": null}, "memory": {"anyOf": [{"type": "number", "minimum": 9.313225746154785e-10, "maximum": 1073741824}, NULL], "default": null}},
  JobProgram: {"processes": list(INTEGER), "differs": {"anyOf": [STRING, ref("Sentence")]}, "program": maybe(STRING)},
  ProcessProgram: {"process": INTEGER, "function": STRING, "jax": STRING, "jaxpr": STRING, "stablehlo": STRING, "came": NUMBER, "lowered": NUMBER, "traced": NUMBER, "compiled": NUMBER},
  JobAgreement: {"processes": list(ref("ProcessProgram")), "missing": list(INTEGER), "lowering": list(INTEGER), "timeout": NUMBER, "process": INTEGER, "gone_on": list(INTEGER)},
  Job: {"tool": {"enum": ["agree"]}, "held": list(ref("JobProgram")), "text": STRING, "agreement": maybe(ref("JobAgreement"))},
  Hidden: {"choice": ref("Frame"), "at": ref("Frame"), "before": STRING},
  NanOrigin: {"kind": STRING, "at": STRING, "to": STRING, "argument": maybe(STRING), "op": STRING, "constant": BOOLEAN, "graph": INTEGER, "eqn": INTEGER, "frame": maybe(ref("Frame")), "backward": BOOLEAN, "around": list({"anyOf": [STRING, ref("Sentence")]}), "index": list(INTEGER), "type": STRING, "one_of": INTEGER, "device": maybe(INTEGER), "result": STRING, "hidden": maybe(ref("Hidden")), "others": BOOLEAN},
  NanOrigins: {"tool": {"enum": ["find_nan"]}, "origins": list(ref("NanOrigin")), "left_out": list(STRING), "run_again": BOOLEAN},
  OpCount: {"op": STRING, "before": INTEGER, "after": INTEGER},
  Pass: {"pipeline": STRING, "name": STRING, "instructions": INTEGER, "ops": list(ref("OpCount")), "gone": list(INTEGER)},
  Passes: {"tool": {"enum": ["passes"]}, "before": INTEGER, "passes": list(ref("Pass")), "unnamed": list(INTEGER), "constants": maybe(INTEGER)},
  EqnShare: {"graph": INTEGER, "eqn": INTEGER, "op": STRING, "frame": maybe(ref("Frame")), "share": NUMBER, "path": list(INTEGER)},
  InstructionTime: {"device": INTEGER, "name": STRING, "op": STRING, "calls": INTEGER, "seconds": NUMBER, "median": NUMBER, "parts": list(ref("EqnShare")), "flops": maybe(INTEGER), "bytes": maybe(INTEGER)},
  LoopTime: {"device": INTEGER, "name": STRING, "parts": list(ref("EqnShare")), "turns": list(NUMBER)},
  LineTime: {"frame": maybe(ref("Frame")), "ops": list(STRING), "graph": INTEGER, "eqn": INTEGER, "seconds": NUMBER, "share": NUMBER},
  TimedLoop: {"frame": maybe(ref("Frame")), "op": STRING, "turns": INTEGER, "shortest": NUMBER, "middle": NUMBER, "longest": NUMBER, "slowest": INTEGER},
  Measurements: {"rows": list(ref("InstructionTime")), "wall": list(NUMBER), "inside": list(NUMBER), "between": list(NUMBER), "loops": list(ref("LoopTime")), "peak": maybe(ref("Peak"))},
  Times: {"tool": {"enum": ["profile"]}, "lines": list(ref("LineTime")), "more": INTEGER, "runs": INTEGER, "best": NUMBER, "median": NUMBER, "inside": NUMBER, "between": NUMBER, "loops": list(ref("TimedLoop")), "left_out": list(STRING), "run_again": BOOLEAN, "in_cell": BOOLEAN, "buffers": {"enum": ["", "hide", "off"]}, "measured": maybe(ref("Measurements"))},
  Bars: {"first": INTEGER, "each": INTEGER, "count": INTEGER, "heights": list(NUMBER), "flawed": list(INTEGER)},
  ValueDistribution: {"finite": INTEGER, "smallest": maybe(NUMBER), "greatest": maybe(NUMBER), "mean": maybe(NUMBER), "deviation": maybe(NUMBER), "zeros": INTEGER, "subnormals": INTEGER, "exponents": maybe(ref("Bars")), "turns": maybe(ref("Bars"))},
  LineValues: {"frame": maybe(ref("Frame")), "eqn": INTEGER, "result": INTEGER, "op": STRING, "type": STRING, "largest": maybe(NUMBER), "nan": INTEGER, "inf": INTEGER, "distribution": maybe(ref("ValueDistribution"))},
  Statistics: {"tool": {"enum": ["statistics"]}, "lines": list(ref("LineValues")), "more": INTEGER, "left_out": list(STRING), "run_again": BOOLEAN},
  PartValues: {"eqns": list(ref("EqnValues")), "results": list(ref("LineValues"))},
  Bound: {"name": STRING, "kind": STRING, "text": STRING},
  TraceStep: {"kind": STRING, "frame": INTEGER, "depth": INTEGER, "bound": list(ref("Bound")), "eqns": list(INTEGER), "printed": STRING, "notes": list(ref("Sentence"))},
  Steps: {"tool": {"enum": ["steps"]}, "frames": list(ref("Frame")), "steps": list(ref("TraceStep")), "notes": list(ref("Sentence"))},
  Spread: {"low": NUMBER, "median": NUMBER, "high": NUMBER, "runs": INTEGER},
  Timing: {"function": STRING, "size": maybe(INTEGER), "eqns": INTEGER, "trace": NUMBER, "lower": NUMBER, "compile": NUMBER, "first_run": NUMBER, "jitted": ref("Spread"), "eager": maybe(ref("Spread"))},
  Timed: {"tool": {"enum": ["timeit"]}, "timings": list(ref("Timing")), "said": list(ref("Sentence")), "programs": list(STRING)},
  FindingsAlone: {"tool": {"enum": ["findings"]}},
  Finding: {"kind": STRING, "what": ref("Sentence"), "cost": ref("Sentence"), "fix": ref("Sentence"), "page": ref("Page"), "at": maybe(ref("Frame")), "eqns": list(INTEGER), "names": list(STRING), "bytes": maybe(INTEGER), "is_note": {"type": "boolean", "default": false}},
  FrozenValue: {"function": STRING, "path": STRING, "kind": STRING, "before": STRING, "now": STRING, "types": STRING, "traced": maybe(ref("Frame")), "at": maybe(ref("Frame"))},
  Fixed: {"path": STRING, "text": STRING, "kind": STRING},
  Call: {"fixed": list(ref("Fixed")), "consts": list(STRING), "donated": list(INTEGER), "shardings": list(STRING), "results": list(STRING), "mesh": list(ref("MeshAxis")), "lost": {"type": "array", "items": INTEGER, "default": []}},
  Memory: {"arguments": maybe(INTEGER), "outputs": maybe(INTEGER), "temporaries": maybe(INTEGER), "aliased": maybe(INTEGER), "code": maybe(INTEGER), "peak": maybe(INTEGER)},
  Collective: {"eqn": INTEGER, "kind": STRING, "axes": list(STRING), "devices": maybe(INTEGER), "sent": maybe(INTEGER), "cause": {"anyOf": [STRING, ref("Sentence")]}},
  Outlier: {"eqn": INTEGER, "layer": STRING, "siblings": INTEGER, "shared": BOOLEAN},
  Stage: {"kind": STRING, "graphs": list(ref("Graph")), "avals": list(ref("Aval")), "frames": list(ref("Frame")), "scopes": list(STRING), "call": maybe(ref("Call")), "text": STRING, "notes": list(ref("Sentence")), "cost": maybe(ref("Cost")), "reported": maybe(ref("Cost")), "memory": maybe(ref("Memory")), "took": maybe(INTEGER), "error": maybe(ref("Sentence")), "collectives": list(ref("Collective")), "strays": list(ref("Outlier")), "times": maybe(ref("StageTimes")), "values": list(ref("EqnValues"))},
  Listing: {"file": STRING, "cell": maybe(STRING), "count": maybe(INTEGER), "start": INTEGER, "text": STRING},
  Change: {"kind": STRING, "where": STRING, "before": {"anyOf": [STRING, ref("Sentence")]}, "after": {"anyOf": [STRING, ref("Sentence")]}},
  Mark: {"eqn": INTEGER, "kind": STRING, "before": STRING, "after": STRING},
  Compared: {"before": STRING, "after": STRING, "inputs": list(ref("Change")), "marks": list(ref("Mark")), "unknown": list(STRING)},
  Drawn: {"kind": STRING, "source": STRING, "frames": list(ref("Frame")), "eqns": list(INTEGER)},
  Program: {"version": INTEGER, "jax": STRING, "name": STRING, "args": list(ref("Leaf")), "fixed": list(ref("Fixed")), "results": list(ref("Leaf")), "listings": list(ref("Listing")), "stages": list(ref("Stage")), "compared": maybe(ref("Compared")), "findings": list(ref("Finding")), "drawn": {"type": "array", "items": ref("Drawn"), "default": []}, "frozen": {"type": "array", "items": ref("FrozenValue"), "default": []}},
  SavedReport: {"version": INTEGER, "program": ref("Program"), "report": {"anyOf": [ref("Card"), ref("FindingsAlone"), ref("Job"), ref("NanOrigins"), ref("Passes"), ref("Statistics"), ref("Steps"), ref("Timed"), ref("Times")]}},
  Display: {"version": INTEGER, "jaxviz": STRING, "program": STRING, "partial": maybe(ref("Sentence")), "opening": ref("Opening"), "key": STRING, "since": STRING, "report": maybe({"anyOf": [ref("Card"), ref("FindingsAlone"), ref("Job"), ref("NanOrigins"), ref("Passes"), ref("Statistics"), ref("Steps"), ref("Timed"), ref("Times")]}), "can_step": BOOLEAN},
  CacheColumn: {"where": STRING, "kind": STRING},
  CacheRow: {"number": maybe(INTEGER), "site": maybe(ref("Frame")), "cells": list({"anyOf": [STRING, ref("Sentence")]}), "differs": list(INTEGER)},
  CacheCall: {"row": INTEGER, "end": STRING, "site": maybe(ref("Frame")), "times": INTEGER, "narrowed": {"anyOf": [STRING, ref("Sentence")]}},
  CacheTable: {"name": STRING, "definition": maybe(ref("Frame")), "columns": list(ref("CacheColumn")), "more": INTEGER, "rows": list(ref("CacheRow")), "calls": list(ref("CacheCall")), "hits": maybe(INTEGER), "omitted": INTEGER},
  Event: {"number": INTEGER, "kind": STRING, "name": STRING, "definition": maybe(ref("Frame")), "site": maybe(ref("Frame")), "start": NUMBER, "seconds": NUMBER, "depth": INTEGER, "library": BOOLEAN, "thread": STRING, "eqns": maybe(INTEGER), "again": BOOLEAN, "of": maybe(INTEGER), "implied": BOOLEAN, "looked": BOOLEAN, "reason": list(ref("Change")), "more": INTEGER, "against": maybe(INTEGER), "hint": ref("Sentence"), "cached": maybe(BOOLEAN), "saved": maybe(NUMBER), "error": maybe(STRING), "failed": maybe(ref("Frame"))},
  Function: {"name": STRING, "definition": maybe(ref("Frame")), "library": BOOLEAN, "traces": INTEGER, "retraces": INTEGER, "lowerings": INTEGER, "relowerings": INTEGER, "compiles": INTEGER, "recompiles": INTEGER, "seconds": NUMBER, "reason": list(ref("Change")), "hint": ref("Sentence"), "hits": maybe(list(INTEGER))},
  Variant: {"reason": list(ref("Change")), "times": INTEGER},
  Cause: {"function": INTEGER, "kind": STRING, "reason": list(ref("Change")), "values": list(ref("Variant")), "others": INTEGER, "more": INTEGER, "hint": ref("Sentence"), "times": INTEGER, "seconds": NUMBER, "first": INTEGER, "last": INTEGER},
  Totals: {"traces": INTEGER, "lowerings": INTEGER, "compiles": INTEGER, "seconds": NUMBER},
  Variety: {"kind": STRING, "count": INTEGER},
  Op: {"name": STRING, "site": maybe(ref("Frame")), "traces": INTEGER, "compiles": INTEGER, "reason": list(ref("Variety")), "seconds": NUMBER, "spans": list(NUMBER)},
  RanProgram: {"number": INTEGER, "name": STRING, "calls": INTEGER, "of": maybe(INTEGER), "seconds": NUMBER, "best": NUMBER, "median": NUMBER, "spans": list(NUMBER), "known": BOOLEAN},
  PythonLoop: {"site": ref("Frame"), "programs": INTEGER, "seconds": NUMBER, "running": NUMBER, "spans": list(NUMBER)},
  CellTimes: {"start": NUMBER, "seconds": NUMBER, "ended": STRING, "running": NUMBER, "making": NUMBER, "moving": NUMBER, "rest": NUMBER, "before": NUMBER, "after": NUMBER, "programs": list(ref("RanProgram")), "loops": {"type": "array", "items": ref("PythonLoop"), "default": []}},
  Log: {"version": INTEGER, "jax": STRING, "start": NUMBER, "seconds": NUMBER, "running": BOOLEAN, "making": NUMBER, "functions": list(ref("Function")), "causes": list(ref("Cause")), "events": list(ref("Event")), "omitted": INTEGER, "apart": ref("Totals"), "ops": list(ref("Op")), "caches": list(ref("CacheTable")), "predict": BOOLEAN, "slice": NUMBER, "error": maybe(STRING), "notes": list(ref("Sentence")), "profile": maybe(ref("CellTimes")), "findings": {"type": "array", "items": ref("Finding"), "default": []}},
  LogDisplay: {"version": INTEGER, "jaxviz": STRING, "log": STRING, "strip": BOOLEAN, "key": STRING},
  Capture: {"key": STRING, "name": STRING, "eqns": INTEGER, "cell": maybe(STRING), "count": maybe(INTEGER), "definition": maybe(ref("Frame"))},
  Panel: {"version": INTEGER, "watching": BOOLEAN, "log": ref("Log"), "captures": list(ref("Capture")), "since": INTEGER, "recompiled": {"type": "integer", "default": 0}, "relowered": {"type": "integer", "default": 0}},
} as const;

/** For each of the most frequent records, what makes some of them from the columns of their
 * fields. With a loop over the fields, reading 5,122 or 50,009 eqns takes 25 % longer. */
export const FILLERS = {
  Eqn: (rows: unknown[], from: number, to: number, of: (field: string) => readonly unknown[]) => {
    const op = of('op');
    const name = of('name');
    const invars = of('invars');
    const outvars = of('outvars');
    const roles = of('roles');
    const params = of('params');
    const attributes = of('attributes');
    const bodies = of('bodies');
    const effects = of('effects');
    const frame = of('frame');
    const call = of('call');
    const inherited = of('inherited');
    const scope = of('scope');
    const span = of('span');
    const origin = of('origin');
    const guess = of('guess');
    const own = of('own');
    const trips = of('trips');
    const cost = of('cost');
    const was = of('was');
    for (let at = from; at < to; at += 1) rows[at] = { op: op[at], name: name[at], invars: invars[at], outvars: outvars[at], roles: roles[at], params: params[at], attributes: attributes[at], bodies: bodies[at], effects: effects[at], frame: frame[at], call: call[at], inherited: inherited[at], scope: scope[at], span: span[at], origin: origin[at], guess: guess[at], own: own[at], trips: trips[at], cost: cost[at], was: was[at] };
  },
  Var: (rows: unknown[], from: number, to: number, of: (field: string) => readonly unknown[]) => {
    const name = of('name');
    const aval = of('aval');
    const literal = of('literal');
    const named = of('named');
    for (let at = from; at < to; at += 1) rows[at] = { name: name[at], aval: aval[at], literal: literal[at], named: named[at] };
  },
} as const;

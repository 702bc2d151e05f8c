/** Finds the function at a cursor in a cell, and its latest program. */
import { parser } from '@lezer/python';
import type { Panel } from '../../schema';
import { type Opened, openedBy, type Row, rowsOf } from './panel-lists';

/** A function, as far as the text of a cell names it. */
export interface NamedFunction {
  /** The possible names of its program, the likeliest first. The last one is shown to the reader. */
  names: readonly string[];
  /** A one-line call of it that can run in a cell of its own; null if there is none. */
  call: string | null;
}

/** A function that the reader asks for in a cell. */
export interface Target extends NamedFunction {
  /** The id of that cell; null in a console. */
  cell: string | null;
  /** The id of the cell that was added to capture it; null if there is none. */
  ran: string | null;
}

/**
 * The latest program of a function in the kernel; null if it has none.
 *
 * The capture of the added cell comes first, else the program of the function's row. Of several
 * functions with the name, the one of the same cell is preferred, then the one that ran last.
 */
export function programFor(panel: Panel, { names, cell, ran }: Target): Opened | null {
  const capture = panel.captures.find((one) => ran !== null && one.cell === ran);
  if (capture) return { capture: capture.key, name: capture.name };
  const rows = rowsOf(panel).filter((row) => openedBy(row));
  for (const name of names) {
    const own = rows.filter((row) => row.name === name || innerName(row.name) === name);
    const isHere = ({ definition }: Row) => cell !== null && definition?.cell === cell;
    const [first] = own.sort(
      (a, b) =>
        Number(isHere(b)) - Number(isHere(a)) ||
        Number(b.name === name) - Number(a.name === name) ||
        (b.definition?.count ?? 0) - (a.definition?.count ?? 0),
    );
    if (first) return openedBy(first);
  }
  return null;
}

/** `loss` for `grad(vmap(loss))`, `apply` for `Model.apply`. */
const innerName = (name: string): string => name.replace(/^.*[(.]|\)+$/g, '');

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree['topNode'];

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Functions of JAX that give a function a new name: the program of `grad(loss)` has that name. */
const TRANSFORMS = words(
  'grad value_and_grad vmap pmap checkpoint remat jacfwd jacrev hessian shard_map',
);
/** Functions that wrap the wanted function or its result, and that nobody wants to inspect. */
const WRAPPERS = words(
  'jit partial make_jaxpr eval_shape block_until_ready device_get print float int len repr',
);

/** Syntax that binds names for its own inside only. */
const BINDING_EXPRESSION = /^LambdaExpression$|ComprehensionExpression$/;

/**
 * The function at an offset in a cell's text; null if there is none.
 *
 * It is the function named or called there, else the `def` or class around the offset, else the
 * first call in the line. Magics and other text that is not Python are skipped.
 */
export function functionAt(text: string, offset: number): NamedFunction | null {
  const code = withoutMagics(text);
  const tree = parser.parse(code);
  const before = code.slice(0, offset).trimEnd().length;
  return (
    functionAround(tree, code, offset) ??
    firstCallInLine(tree, code, offset) ??
    functionAround(tree, code, before)
  );
}

/** The call around an offset, else the `def` around it. A call inside a `def` may need arguments
 * that exist only there, so it cannot run alone. A method is seldom traced alone, so the `def`
 * around its call is a candidate too. */
function functionAround(tree: Tree, code: string, offset: number): NamedFunction | null {
  const leaf = tree.resolveInner(offset, /\w/.test(code[offset] ?? '') ? 1 : -1);
  let called: Called | null = null;
  let outer = '';
  for (let node: Node | null = leaf; node && outer === ''; node = node.parent) {
    if (node.name === 'CallExpression') called ??= calledAt(node, code);
    if (node.name === 'Decorator') called = null;
    outer = definedName(node, code);
  }
  if (!called) return outer === '' ? null : { names: [outer], call: null };
  const own = isName(leaf) ? [textOf(leaf, code)] : [];
  const names = [...own, ...called.names, ...(outer !== '' && called.isAttribute ? [outer] : [])];
  return { names: [...new Set(names)], call: outer === '' ? called.call : null };
}

function firstCallInLine(tree: Tree, code: string, offset: number): NamedFunction | null {
  const from = code.lastIndexOf('\n', offset - 1) + 1;
  const end = code.indexOf('\n', offset);
  const found: Called[] = [];
  const enter = ({ node }: { node: Node }) => {
    const called = node.name === 'CallExpression' && node.from >= from && calledAt(node, code);
    if (called) found.push(called);
  };
  tree.iterate({ from, to: end < 0 ? code.length : end, enter });
  const [first] = found;
  return first ? { names: first.names, call: first.call } : null;
}

interface Called {
  names: string[];
  call: string | null;
  /** It is an attribute of a module or an object: `model.loss`. */
  isAttribute: boolean;
}

/** The called function. A call inside a lambda or comprehension cannot run alone. */
function calledAt(call: Node, code: string): Called | null {
  const called = functionOfCall(call, code);
  return called && isInBinding(call.parent) ? { ...called, call: null } : called;
}

const isInBinding = (node: Node | null): boolean =>
  node !== null && (BINDING_EXPRESSION.test(node.name) || isInBinding(node.parent));

/** The wanted function of a call: `loss` for `loss(x)`, `jit(loss)(x)` and `loss(x).sum()`. */
function functionOfCall(call: Node, code: string): Called | null {
  const { firstChild: callee } = call;
  if (!callee) return null;
  const made = callee.name === 'CallExpression' ? functionOfCall(callee, code) : null;
  if (made) return { ...made, call: oneLine(textOf(call, code)) };
  const { firstChild: holder } = callee;
  if (holder?.name === 'CallExpression') return functionOfCall(holder, code);
  const name = lastName(callee, code);
  if (name === '') return null;
  if (!WRAPPERS.has(name) && !TRANSFORMS.has(name)) {
    const isAttribute = callee.name === 'MemberExpression';
    return { names: [name], call: oneLine(textOf(call, code)), isAttribute };
  }
  const argument = firstArgument(call, code);
  if (!argument || WRAPPERS.has(name)) return argument;
  return { ...argument, names: [`${name}(${argument.names[0]})`, ...argument.names] };
}

/** The function that is the first argument of a call, or that the first argument calls. */
function firstArgument(call: Node, code: string): Called | null {
  const argument = call.getChild('ArgList')?.firstChild?.nextSibling;
  if (!argument) return null;
  if (argument.name === 'CallExpression') return functionOfCall(argument, code);
  const name = lastName(argument, code);
  return name === '' ? null : { names: [name], call: null, isAttribute: false };
}

/** The name of a `def` or class, with or without decorators; empty for any other node. */
function definedName(node: Node, code: string): string {
  const own = node.name === 'DecoratedStatement' ? node.lastChild : node;
  if (own?.name !== 'FunctionDefinition' && own?.name !== 'ClassDefinition') return '';
  const name = own.getChild('VariableName');
  return name ? textOf(name, code) : '';
}

/** `loss` for `loss` and for `model.loss`; empty for anything else. */
function lastName(node: Node, code: string): string {
  const name = node.name === 'MemberExpression' ? node.getChild('PropertyName') : node;
  return name && isName(name) ? textOf(name, code) : '';
}

const isName = ({ name }: Node): boolean => name === 'VariableName' || name === 'PropertyName';

const textOf = ({ from, to }: Node, code: string): string => code.slice(from, to);

/** A call with its lines joined. Null if the call is incomplete, or if a comment or multi-line
 * string prevents it. */
function oneLine(call: string): string | null {
  if (!call.endsWith(')')) return null;
  if (!call.includes('\n')) return call;
  if (/#|"""|'''|\\\n/.test(call)) return null;
  return call
    .replace(/([([{])\s*\n\s*/g, '$1')
    .replace(/\s*\n\s*([)\]}])/g, '$1')
    .replace(/\s*\n\s*/g, ' ');
}

/** The text with magics replaced by equally many characters, so that offsets stay valid. The Python
 * after a line magic stays. */
function withoutMagics(text: string): string {
  return text
    .replace(/^%%.*$|^[ \t]*!.*$/gm, (line) => '#'.repeat(line.length))
    .replace(
      /^([ \t]*)(%\w+)/gm,
      (_, indent, magic) => `${indent}0;${' '.repeat(magic.length - 2)}`,
    )
    .replace(
      /^([\w., ]+=[ \t]*)(%\w+)/gm,
      (_, assignment, magic) => assignment + ' '.repeat(magic.length),
    );
}

/** Which function is meant at a cursor in a cell, and the latest program of it. */
import { parser } from '@lezer/python';
import type { Panel } from '../../schema';
import { type Opened, openedBy, type Row, rowsOf } from './panel-lists';

/** A function of the user's, as far as the text of a cell names it. */
export interface NamedFunction {
  /** Names that its program may have, the likeliest first. The last is the one to show the reader. */
  names: readonly string[];
  /** A call of it in one line that can be run in a cell of its own; null if there is none. */
  call: string | null;
}

/** A function that the reader asked for from a cell. */
export interface Target extends NamedFunction {
  /** The id of that cell; null in a console. */
  cell: string | null;
  /** The id of the cell that was added to capture it; null if none was. */
  ran: string | null;
}

/**
 * The latest program of a function that the kernel knows; null if it knows none.
 *
 * What the added cell captured comes first, else what the row of the function opens. If several
 * functions have the name, one defined in the same cell is preferred, then the one run last.
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
/** Functions that are called with the function that is meant, or with its result, and that nobody
 * wants to inspect. */
const WRAPPERS = words(
  'jit partial make_jaxpr eval_shape block_until_ready device_get print float int len repr',
);

/** Syntax that binds names for its own inside only. */
const BINDING_EXPRESSION = /^LambdaExpression$|ComprehensionExpression$/;

/**
 * The function meant at an offset in a cell's text; null if there is none.
 *
 * It is the one named there, or called around it, else the `def` or class around it, else that of the
 * first call in the line. Magics and whatever else is not Python are skipped.
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

/** The call around an offset, else the `def` around it. A call inside a `def` may have arguments that
 * exist only there, so it cannot be run alone. A method is seldom traced alone, so the `def` around
 * its call is a candidate too. */
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
  const given = isName(leaf) ? [textOf(leaf, code)] : [];
  const names = [...given, ...called.names, ...(outer !== '' && called.isAttribute ? [outer] : [])];
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

/** The function that a call calls. A call inside a lambda or comprehension cannot be run alone. */
function calledAt(call: Node, code: string): Called | null {
  const called = functionOfCall(call, code);
  return called && isInBinding(call.parent) ? { ...called, call: null } : called;
}

const isInBinding = (node: Node | null): boolean =>
  node !== null && (BINDING_EXPRESSION.test(node.name) || isInBinding(node.parent));

/** The function that a call is about: `loss` for `loss(x)`, `jit(loss)(x)` and `loss(x).sum()`. */
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
  const given = firstArgument(call, code);
  if (!given || WRAPPERS.has(name)) return given;
  return { ...given, names: [`${name}(${given.names[0]})`, ...given.names] };
}

/** The function that is the first argument of a call, or that the first argument calls. */
function firstArgument(call: Node, code: string): Called | null {
  const given = call.getChild('ArgList')?.firstChild?.nextSibling;
  if (!given) return null;
  if (given.name === 'CallExpression') return functionOfCall(given, code);
  const name = lastName(given, code);
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

/** A call with its lines joined; null if it is incomplete, or if its lines cannot be joined because of
 * a comment or a string that spans them. */
function oneLine(call: string): string | null {
  if (!call.endsWith(')')) return null;
  if (!call.includes('\n')) return call;
  if (/#|"""|'''|\\\n/.test(call)) return null;
  return call
    .replace(/([([{])\s*\n\s*/g, '$1')
    .replace(/\s*\n\s*([)\]}])/g, '$1')
    .replace(/\s*\n\s*/g, ' ');
}

/** The text with magics blanked out, at the same length, so that offsets stay valid. The Python
 * after a line magic is kept. */
function withoutMagics(text: string): string {
  return text
    .replace(/^%%.*$|^[ \t]*!.*$/gm, (line) => '#'.repeat(line.length))
    .replace(
      /^([ \t]*)(%\w+)/gm,
      (_, indent, magic) => `${indent}0;${' '.repeat(magic.length - 2)}`,
    )
    .replace(/^([\w., ]+=[ \t]*)(%\w+)/gm, (_, kept, magic) => kept + ' '.repeat(magic.length));
}

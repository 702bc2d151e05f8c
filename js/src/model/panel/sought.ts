/** Which function is meant where a cursor stands in a cell. */
import { parser } from '@lezer/python';

/** A function of the user's, as the text of a cell tells of it. */
export interface Sought {
  /** What its program may be called, the likelier first; the last is what the reader calls it. */
  names: readonly string[];
  /** A call of it, in one line, that can stand alone in a cell; null where there is none. */
  call: string | null;
}

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree['topNode'];

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** They make a function whose program is called `grad(loss)`. */
const TRANSFORMS = words(
  'grad value_and_grad vmap pmap checkpoint remat jacfwd jacrev hessian shard_map',
);
/** They stand around a function or its call, and are not meant themselves. */
const AROUND = words(
  'jit partial make_jaxpr eval_shape block_until_ready device_get print float int len repr',
);

/** What gives names a value, within it alone. */
const GIVES = /^LambdaExpression$|ComprehensionExpression$/;

/**
 * The function meant at an offset: that of the name there, of the call around it, else the `def` or
 * class around it, else of the first call in the line. What is no Python is passed over.
 */
export function soughtAt(text: string, offset: number): Sought | null {
  const code = withoutMagics(text);
  const tree = parser.parse(code);
  const before = code.slice(0, offset).trimEnd().length;
  return (
    around(tree, code, offset) ?? firstOfLine(tree, code, offset) ?? around(tree, code, before)
  );
}

/** A call in a `def` may be given what is known only there; and what a module or an object has is
 * seldom traced alone, so that the `def` may be meant. */
function around(tree: Tree, code: string, offset: number): Sought | null {
  const leaf = tree.resolveInner(offset, /\w/.test(code[offset] ?? '') ? 1 : -1);
  let called: Called | null = null;
  let outer = '';
  for (let node: Node | null = leaf; node && outer === ''; node = node.parent) {
    if (node.name === 'CallExpression') called ??= calledAt(node, code);
    if (node.name === 'Decorator') called = null;
    outer = definedBy(node, code);
  }
  if (!called) return outer === '' ? null : { names: [outer], call: null };
  const given = isName(leaf) ? [textOf(leaf, code)] : [];
  const names = [...given, ...called.names, ...(outer !== '' && called.isHeld ? [outer] : [])];
  return { names: [...new Set(names)], call: outer === '' ? called.call : null };
}

function firstOfLine(tree: Tree, code: string, offset: number): Sought | null {
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
  /** By a module or an object. */
  isHeld: boolean;
}

/** What is called within what gives names a value is not called outside. */
function calledAt(call: Node, code: string): Called | null {
  const called = calledBy(call, code);
  return called && isWithin(call.parent) ? { ...called, call: null } : called;
}

const isWithin = (node: Node | null): boolean =>
  node !== null && (GIVES.test(node.name) || isWithin(node.parent));

/** The function of a call: `loss` of `loss(x)`, of `jit(loss)(x)`, of `loss(x).sum()`. */
function calledBy(call: Node, code: string): Called | null {
  const { firstChild: callee } = call;
  if (!callee) return null;
  const made = callee.name === 'CallExpression' ? calledBy(callee, code) : null;
  if (made) return { ...made, call: oneLine(textOf(call, code)) };
  const { firstChild: holder } = callee;
  if (holder?.name === 'CallExpression') return calledBy(holder, code);
  const name = nameOf(callee, code);
  if (name === '') return null;
  if (!AROUND.has(name) && !TRANSFORMS.has(name)) {
    const isHeld = callee.name === 'MemberExpression';
    return { names: [name], call: oneLine(textOf(call, code)), isHeld };
  }
  const given = givenTo(call, code);
  if (!given || AROUND.has(name)) return given;
  return { ...given, names: [`${name}(${given.names[0]})`, ...given.names] };
}

/** The function that a call is given first, or the call. */
function givenTo(call: Node, code: string): Called | null {
  const given = call.getChild('ArgList')?.firstChild?.nextSibling;
  if (!given) return null;
  if (given.name === 'CallExpression') return calledBy(given, code);
  const name = nameOf(given, code);
  return name === '' ? null : { names: [name], call: null, isHeld: false };
}

/** What a `def` or a class is called, also of its decorators; else empty. */
function definedBy(node: Node, code: string): string {
  const own = node.name === 'DecoratedStatement' ? node.lastChild : node;
  if (own?.name !== 'FunctionDefinition' && own?.name !== 'ClassDefinition') return '';
  const name = own.getChild('VariableName');
  return name ? textOf(name, code) : '';
}

/** The last name of `loss`, `model.loss`; empty of all else. */
function nameOf(node: Node, code: string): string {
  const name = node.name === 'MemberExpression' ? node.getChild('PropertyName') : node;
  return name && isName(name) ? textOf(name, code) : '';
}

const isName = ({ name }: Node): boolean => name === 'VariableName' || name === 'PropertyName';

const textOf = ({ from, to }: Node, code: string): string => code.slice(from, to);

/** Null where it is not whole, or its lines cannot be joined: a comment may lie between them, or a
 * string go on. */
function oneLine(call: string): string | null {
  if (!call.endsWith(')')) return null;
  if (!call.includes('\n')) return call;
  if (/#|"""|'''|\\\n/.test(call)) return null;
  return call
    .replace(/([([{])\s*\n\s*/g, '$1')
    .replace(/\s*\n\s*([)\]}])/g, '$1')
    .replace(/\s*\n\s*/g, ' ');
}

/** Of the same length: of a line with a magic only what may be Python is kept. */
function withoutMagics(text: string): string {
  return text
    .replace(/^%%.*$|^[ \t]*!.*$/gm, (line) => '#'.repeat(line.length))
    .replace(
      /^([ \t]*)(%\w+)/gm,
      (_, indent, magic) => `${indent}0;${' '.repeat(magic.length - 2)}`,
    )
    .replace(/^([\w., ]+=[ \t]*)(%\w+)/gm, (_, kept, magic) => kept + ' '.repeat(magic.length));
}

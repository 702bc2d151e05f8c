/** The texts of a source file: what is handed to `__` and `_n`, and what `N_` and `N_n` mark for later. */
import ts from 'typescript';

/** The number of a function's arguments that are texts. The two of `_n` and `N_n` are one text and its plural. */
const TEXTS = { __: 1, _n: 2, N_: Infinity, N_n: 2 };

/**
 * `{ texts: [{ key, more, where }], faults: [sentence] }`; `more` is null where there is no plural.
 */
export function textsIn(path, source) {
  const file = parsed(path, source);
  const texts = [];
  const faults = [];
  const visit = (node, isModule) => {
    const marker = ts.isCallExpression(node) ? nameOf(node.expression) : '';
    if (Object.hasOwn(TEXTS, marker)) {
      const where = `${path}:${lineOf(file, node)}`;
      const literals = node.arguments.slice(0, TEXTS[marker]).map(literal);
      const found = TEXTS[marker] === 2 ? [literals] : literals.map((text) => [text]);
      if (literals.includes(null)) faults.push(`${where}: not a literal, so nobody can collect it`);
      else texts.push(...found.map(([key, more = null]) => ({ key, more, where })));
      if (isModule && !marker.startsWith('N_')) faults.push(`${where}: asked before the page knows its language`);
    }
    const isInside = isModule && !ts.isFunctionLike(node);
    ts.forEachChild(node, (child) => visit(child, isInside));
  };
  // The module that defines them hands on what it is given.
  if (!path.endsWith('language.ts')) visit(file, true);
  return { texts, faults };
}

export function parsed(path, source) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true, kind);
}

export const lineOf = (file, node) =>
  file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;

/** `__` of `__(…)` and of `trans.__(…)`. */
function nameOf(called) {
  return ts.isPropertyAccessExpression(called) ? called.name.text : (called.text ?? '');
}

const literal = (node) =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) ? node.text : null;

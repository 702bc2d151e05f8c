/** Words that a reader sees or hears but that were never handed to `__`. */
import ts from 'typescript';
import { lineOf, parsed } from './texts.mjs';

const READ = new Set(['title', 'aria-label', 'aria-description', 'placeholder', 'label', 'about']);

/** JAX's own words and what is typed: the same in every language. */
const OWN = new Set(['%load_ext jaxviz', '%jaxviz loss(params, x)', '%jaxviz on', 'HLO']);

/** A sentence for each that a view of the page holds. */
export function bareIn(path, source) {
  if (!/\/(view|tools)\//.test(path)) return [];
  const file = parsed(path, source);
  const found = [];
  const visit = (node) => {
    const text = wordsOf(node);
    if (/\p{L}{2}/u.test(text) && !OWN.has(text)) {
      found.push(`${path}:${lineOf(file, node)}: “${text}” is said in English alone`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Literal texts of an element, and its literal label. A call `__(…)` is no literal. */
function wordsOf(node) {
  if (ts.isJsxText(node)) return node.text.trim().replace(/\s+/g, ' ');
  if (!isLiteral(node)) return '';
  const within = ts.isTemplateSpan(node.parent) ? node.parent.parent : node.parent;
  return isRead(around(within)) ? node.text : '';
}

const isLiteral = (node) =>
  ts.isStringLiteral(node) ||
  ts.isNoSubstitutionTemplateLiteral(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node);

/** Through choices and templates to the attribute or the element that a literal ends in. */
function around(node) {
  let at = node;
  while (
    ts.isConditionalExpression(at) ||
    ts.isTemplateExpression(at) ||
    ts.isParenthesizedExpression(at)
  ) {
    at = at.parent;
  }
  return at;
}

/** A property is one too: what is handed on under a name that is read. */
function isRead(node) {
  if (ts.isJsxAttribute(node)) return READ.has(node.name.getText());
  if (ts.isPropertyAssignment(node)) return READ.has(node.name.getText());
  if (!ts.isJsxExpression(node)) return false;
  return ts.isJsxAttribute(node.parent) ? isRead(node.parent) : true;
}

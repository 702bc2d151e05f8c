// Finds groups with an invented name: one with a word that is nowhere in the program.
const WORD = /[A-Za-z_]\w*/g;
/** The words in names that we write: `lines 12–20`, `sub, add over dense`, `metrics` of a training step. */
const OURS = new Set(['line', 'lines', 'over', 'metrics']);

const wordsOf = (texts) => texts.flatMap((text) => text.match(WORD) ?? []);

/** The words of the reader's and the libraries' code, of scopes, paths, functions and ops. */
function wordsIn({ graphs, frames, scopes }) {
  const code = frames.flatMap((frame) => [frame.function, frame.code]);
  const paths = graphs.flatMap(({ args, results }) => [...args, ...results]);
  const ops = graphs.flatMap(({ eqns }) => eqns.flatMap((eqn) => [eqn.op, eqn.name]));
  return new Set(wordsOf([...code, ...paths, ...ops, ...scopes]));
}

const isBeginning = (word, one) => one.startsWith(word) && /^[_\d]/.test(one.slice(word.length));

/** The names of all groups of a program, and those that are invented. A layer may be named by the beginning that its
 * scopes share: `block_7` of `block_7_expand`. */
export function namesIn({ stages: [stage] }) {
  const words = wordsIn(stage);
  const all = [...words];
  const isKnown = (word) =>
    words.has(word) || OURS.has(word) || all.some((one) => isBeginning(word, one));
  const groups = stage.graphs.flatMap((graph) => graph.groups);
  const names = groups.filter(({ named_by }) => named_by !== 'part').map(({ name }) => name);
  return { names, invented: names.filter((name) => !wordsOf([name]).every(isKnown)) };
}

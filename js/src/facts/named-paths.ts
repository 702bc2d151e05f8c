/**
 * Paths by name: `train_step/forward/layers[1]/dot_general#2` is the second dot_general of a group in
 * a group of a program. They outlast the ids, which are numbers: a program that was edited and
 * captured again has the same place, or the nearest that encloses it.
 */

import type { Stage } from '../schema';
import { hiding } from './enclosing';
import { type Id, ROOT } from './ids';
import { children, type Item } from './outline';

const SCHEME = 'jaxviz:';

/** A text that, pasted into Find, leads to an item. */
export function linkTo(stage: Stage, id: Id): string {
  return `${SCHEME}${[written(stage.graphs[0]?.name ?? ''), ...namesTo(stage, id)].join('/')}`;
}

export const isLink = (text: string): boolean => text.trim().startsWith(SCHEME);

/** Where a link leads, or the nearest that encloses it; null where that is the whole program. */
export function resolve(stage: Stage, link: string): Id | null {
  const [, ...names] = link.trim().slice(SCHEME.length).split('/');
  const { id } = follow(stage, names);
  return id === ROOT ? null : id;
}

/** An item's name among its siblings, and those of all that enclose it, outermost first. */
export function namesTo(stage: Stage, id: Id): string[] {
  const ids = [...hiding(stage, id), id];
  return ids.map((one, depth) => {
    const siblings = named(stage, ids[depth - 1] ?? ROOT);
    return siblings.names.get(one) ?? '';
  });
}

/** The innermost item that the names lead to, and whether it is the one that they mean. */
export function follow(stage: Stage, names: readonly string[]): { id: Id; whole: boolean } {
  let id = ROOT;
  let whole = names.length > 0;
  for (const name of names) {
    const { ids } = named(stage, id);
    const exact = ids.get(name);
    const next = exact ?? closest(ids, name);
    whole &&= exact !== undefined;
    if (next === undefined) break;
    id = next;
  }
  return { id, whole };
}

/** Of fewer of a name than there were, the last. */
function closest(ids: ReadonlyMap<string, Id>, name: string): Id | undefined {
  const [, plain = '', ordinal] = /^(.*?)(?:#(\d+))?$/s.exec(name) ?? [];
  for (let at = Math.min(Number(ordinal ?? 1), ids.size); at > 0; at--) {
    const id = ids.get(at === 1 ? plain : `${plain}#${at}`);
    if (id !== undefined) return id;
  }
  return undefined;
}

interface Named {
  ids: Map<string, Id>;
  names: Map<Id, string>;
}

const known = new WeakMap<Stage, Map<Id, Named>>();

/** What an item holds, by name; names that are not the first of their kind have a number. */
function named(stage: Stage, parent: Id): Named {
  const ofStage = known.get(stage) ?? new Map<Id, Named>();
  known.set(stage, ofStage);
  const found = ofStage.get(parent);
  if (found) return found;
  const seen = new Map<string, number>();
  const all: Named = { ids: new Map(), names: new Map() };
  for (const item of children(stage, parent)) {
    const plain = written(prefixOf(item) + item.label);
    const times = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, times);
    const name = times === 1 ? plain : `${plain}#${times}`;
    all.ids.set(name, item.id);
    all.names.set(item.id, name);
  }
  ofStage.set(parent, all);
  return all;
}

/** Inputs and outputs may have the same path as one another, and eqns the same name as both. */
const PREFIX = new Map([
  ['input', 'in:'],
  ['output', 'out:'],
  ['const', 'const:'],
]);

function prefixOf({ kind, id }: Item): string {
  if (kind === 'gathered') return `${id.slice(id.lastIndexOf('/') + 1).split(':')[0]}:`;
  return PREFIX.get(kind) ?? '';
}

/** Without what separates names, and on one line. */
const written = (text: string): string =>
  text.replace(/[%/#+\s]/g, (char) =>
    char === ' ' ? '+' : char === '+' ? '%2B' : encodeURIComponent(char),
  );

/** Paths by name: `train_step/forward/layers[1]/dot_general#2` is the second `dot_general` in a group in a group of a
 * program. Ids are numbers and change with each edit; paths by name lead to the same place of an edited program, or
 * to the nearest item around it. */
import type { Stage } from '../../schema';
import { hiding } from '../enclosing';
import { type Id, ROOT } from '../ids';
import { cached } from '../maps';
import { children, type Item } from '../outline';

const SCHEME = 'jaxviz:';

/** A link to an item, which leads there when it is pasted into Find. */
export function linkTo(stage: Stage, id: Id): string {
  return `${SCHEME}${[written(stage.graphs[0]?.name ?? ''), ...namesTo(stage, id)].join('/')}`;
}

export const isLink = (text: string): boolean => text.trim().startsWith(SCHEME);

/** The item that a link leads to, or the nearest around it; null if that is the whole program. */
export function resolve(stage: Stage, link: string): Id | null {
  const [, ...names] = link.trim().slice(SCHEME.length).split('/');
  const { id } = follow(stage, names);
  return id === ROOT ? null : id;
}

/** The name of an item among its siblings, after the names of all items around it, outermost
 * first. */
export function namesTo(stage: Stage, id: Id): string[] {
  const ids = [...hiding(stage, id), id];
  return ids.map((one, depth) => {
    const siblings = named(stage, ids[depth - 1] ?? ROOT);
    return siblings.names.get(one) ?? '';
  });
}

/** The innermost item to which the names lead. `whole` is true if all names were found. */
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

/** The item with a name. If there are now fewer items of that name than its number says, the last of them. */
function closest(ids: ReadonlyMap<string, Id>, name: string): Id | undefined {
  const [, plain = '', ordinal] = /^(.*?)(?:#(\d+))?$/s.exec(name) ?? [];
  for (let at = Math.min(Number(ordinal ?? 1), ids.size); at > 0; at--) {
    const id = ids.get(at === 1 ? plain : `${plain}#${at}`);
    if (id !== undefined) return id;
  }
  return undefined;
}

interface NamedChildren {
  ids: Map<string, Id>;
  names: Map<Id, string>;
}

const namedIn = cached((_: Stage) => new Map<Id, NamedChildren>());

/** The children of an item by name. All but the first of a name have a number after it. */
function named(stage: Stage, parent: Id): NamedChildren {
  const ofStage = namedIn(stage);
  const found = ofStage.get(parent);
  if (found) return found;
  const seen = new Map<string, number>();
  const all: NamedChildren = { ids: new Map(), names: new Map() };
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

/** Prefixes of the names of inputs, outputs and consts, which may have the same path as one another or the name of an
 * eqn. */
const BINDER_PREFIXES = new Map([
  ['input', 'in:'],
  ['output', 'out:'],
  ['const', 'const:'],
  ['fixed', 'fixed:'],
]);

function prefixOf({ kind, id }: Item): string {
  if (kind === 'gathered') return `${id.slice(id.lastIndexOf('/') + 1).split(':')[0]}:`;
  return BINDER_PREFIXES.get(kind) ?? '';
}

/** A name on one line, with the characters encoded that separate names. */
const written = (text: string): string =>
  text.replace(/[%/#+\s]/g, (char) =>
    char === ' ' ? '+' : char === '+' ? '%2B' : encodeURIComponent(char),
  );

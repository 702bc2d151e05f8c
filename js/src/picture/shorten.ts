/** Shortens a stage for a picture that cannot be moved, so that few boxes stand in one place. */

import { gather } from '../facts/gather';
import { LEFT_OUT } from '../facts/graph';
import { MOST_BINDERS } from '../facts/outline';
import { branches } from '../facts/pytree';
import type { Graph, Group, Stage } from '../schema';

/** A stage with at most `most` eqns and groups, inputs, or outputs in one place; all further ones
 * are gathered as `…`. */
export const shortened = (stage: Stage, most: number): Stage => ({
  ...stage,
  graphs: stage.graphs.map((graph) => ({
    ...graph,
    groups: [...graph.groups, ...restsOf(graph, most)],
    args: shortenedPaths(graph.args, most),
    results: shortenedPaths(graph.results, most),
  })),
});

/** A group of all but the first eqns and groups, for each place where there are too many. */
function restsOf({ eqns, groups }: Graph, most: number): Group[] {
  const inside = gather(groups, ({ parent }) => parent);
  const whole = { role: '', start: 0, stop: eqns.length } as const;
  return [whole, ...groups].flatMap(({ role, start, stop }, index): Group[] => {
    const parent = index === 0 ? null : index - 1;
    const held = inside.get(parent) ?? [];
    const boxes = held.reduce((count, one) => count - (one.stop - one.start - 1), stop - start);
    if (boxes <= most) return [];
    const first = after(start, most - 1, held);
    const rest = { name: LEFT_OUT, kind: 'section', role, parent, twin: null, alike: -1 } as const;
    return [{ ...rest, start: first, stop }];
  });
}

/** The eqn that follows the first `boxes` eqns and groups from `start` on. */
function after(start: number, boxes: number, groups: readonly Group[]): number {
  const stops = new Map(groups.map((one) => [one.start, one.stop]));
  let at = start;
  for (let box = 0; box < boxes; box++) at = stops.get(at) ?? at + 1;
  return at;
}

/** The paths, of which all but the first begin with `…` where they have too many branches. They are
 * then gathered. */
function shortenedPaths(paths: string[], most: number): string[] {
  const found = paths.length > MOST_BINDERS ? branches(paths, '') : [];
  if (found.length <= most) return paths;
  const rest = new Set(found.slice(most - 1).flatMap(({ leaves }) => leaves));
  return paths.map((path, index) => (rest.has(index) ? `${LEFT_OUT}.${path}` : path));
}

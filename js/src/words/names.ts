/** Names and types of items, and the path of names at the top of a view. */
import { bindersOf } from '../facts/binders';
import { labelOf } from '../facts/describe';
import { hiding } from '../facts/enclosing';
import { avalOf, graphAt } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { fixedItems, nameOfGathered } from '../facts/outline';
import { typeText } from '../facts/types';
import { binderLabel, type Link } from '../facts/value-flow';
import type { Stage } from '../schema';

/** The name of an item by itself; empty where the id names nothing. */
export function nameOf(stage: Stage, id: Id): string {
  if (id === ROOT) return stage.graphs[0]?.name ?? '';
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return '';
  switch (step.kind) {
    case 'eqn': {
      const eqn = graph.eqns[step.index];
      return eqn ? labelOf(eqn) : '';
    }
    case 'body':
      return graph.eqns[step.eqn]?.bodies[step.index]?.label ?? '';
    case 'group':
      return graph.groups[step.index]?.name ?? '';
    case 'gathered':
      return nameOfGathered(stage, path, step.binder, step.prefix);
    case 'binder': {
      if (step.binder === 'fixed') return fixedItems(stage)[step.index]?.label ?? '';
      const { vars } = bindersOf(graph, step.binder);
      return step.index < vars.length ? binderLabel(stage, path, step.binder, step.index) : '';
    }
  }
}

/** The type of an input or output, or of an eqn's first result; empty where there is none. */
export function typeOf(stage: Stage, id: Id): string {
  if (id === ROOT) return '';
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return '';
  const variable =
    step.kind === 'eqn'
      ? graph.eqns[step.index]?.outvars[0]
      : step.kind === 'binder'
        ? bindersOf(graph, step.binder).vars[step.index]
        : undefined;
  return variable === undefined ? '' : typeText(avalOf(stage, graph, variable));
}

/** The links from the whole program to an item: all that encloses it, outermost first, and
 * itself. */
export function crumbs(stage: Stage, id: Id | null): Link[] {
  const ids = id === null || id === ROOT ? [ROOT] : [ROOT, ...hiding(stage, id), id];
  return ids.map((one) => ({ id: one, text: nameOf(stage, one) }));
}

/** Characters that the separator between two labels takes. */
const SEPARATOR_WIDTH = 3;

/**
 * Which of some labels fit in a row of `room` characters: the first and as many of the last as can
 * be, at least one. The middle is left out: `[0, from)` shows the first `from === 0 ? 0 : 1`.
 * Gives the index of the first label after the gap; 1 where there is no gap.
 */
export function afterGap(labels: readonly string[], room: number): number {
  const width = (label: string) => label.length + SEPARATOR_WIDTH;
  const all = labels.reduce((sum, label) => sum + width(label), 0);
  if (all <= room || labels.length <= 2) return 1;
  let left = room - width(labels[0] ?? '') - width('…');
  let from = labels.length - 1;
  left -= width(labels[from] ?? '');
  while (from > 2 && left >= width(labels[from - 1] ?? '')) {
    from -= 1;
    left -= width(labels[from] ?? '');
  }
  return from;
}

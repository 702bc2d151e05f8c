/** The parts of details: names and types of items, facts, and links. */
import { hiding } from '../facts/enclosing';
import { binderLabel, type Link } from '../facts/flow';
import { avalOf, bindersOf, graphAt, titleOfBody } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { plainKind } from '../facts/kinds';
import { fixedItems, nameOfGathered } from '../facts/outline';
import { valuesOf } from '../facts/reports';
import type { Source } from '../facts/source';
import { labelOf } from '../facts/text/describe';
import { badgesOf, typeText } from '../facts/text/types';
import { __, _n, thousands } from '../language';
import type { Graph, Stage } from '../schema';

/** A piece of a fact's value: our words, code (a text of JAX or the user), code before and after a
 * change, a badge, a link, or a button for more links. */
export type Part =
  | { kind: 'words' | 'code' | 'before' | 'after' | 'badge'; text: string }
  | { kind: 'link'; text: string; id: Id }
  | { kind: 'more'; text: string; links: readonly Link[] };

export interface Fact {
  name: string;
  value: Part[];
  /** Facts that are shown on request below this one. */
  more?: readonly Fact[];
}

/** The most facts of one sort, and the most links of one fact. The rest is counted, and shown on
 * request. */
const MOST_FACTS = 24;
const MOST_LINKS = 8;

export const words = (text: string): Part => ({ kind: 'words', text });
const badges = (texts: readonly string[]): Part[] => texts.map((text) => ({ kind: 'badge', text }));
export const code = (text: string): Part => ({ kind: 'code', text });
export const link = ({ text, id }: Link): Part => ({ kind: 'link', text, id });
/** The number of eqns; in later stages, of ops or instructions. */
export function eqnsText({ kind }: Pick<Stage, 'kind'>, some: number): string {
  if (kind === 'stablehlo') return _n('%1 op', '%1 ops', some);
  if (plainKind(kind) === 'hlo') return _n('%1 instruction', '%1 instructions', some);
  return _n('%1 eqn', '%1 eqns', some);
}

/** A sentence that says what counts as one eqn or instruction. */
export const countRule = ({ kind }: Pick<Stage, 'kind'>): string =>
  kind === 'jaxpr'
    ? __(
        'Lines of its text that compute something, including bodies. A body that is called several times counts once.',
      )
    : __('Instructions of all functions, regions and computations. Each counts once.');

export function typeParts(stage: Stage, graph: Graph, variable: number): Part[] {
  const aval = avalOf(stage, graph, variable);
  return [
    code(typeText(aval)),
    ...badges(badgesOf(aval)),
    ...measuredParts(stage, graph, variable),
  ];
}

/** Measurements of a value in a run: `largest finite 6.91`, and a badge for NaN and infinity. */
function measuredParts(stage: Stage, graph: Graph, variable: number): Part[] {
  const { largest, flaws } = valuesOf(stage, graph, [variable]);
  return [...(largest ? [words(__('largest finite %1', largest))] : []), ...badges(flaws)];
}

/** The places where a value comes from: the two nearest and the farthest, with `…` between. */
export function fromParts(found: Link[]): Part[] {
  const shown = found.length > 3 ? [...found.slice(0, 2), ...found.slice(-1)] : found;
  return shown.flatMap((one, index) => [
    words(index === 2 && found.length > 3 ? '← … ←' : '←'),
    link(one),
  ]);
}

export function userParts(found: Link[]): Part[] {
  if (found.length === 0) return [words(__('not used'))];
  return [words('→'), ...linkList(found)];
}

const moreLinks = (links: readonly Link[]): Part => ({
  kind: 'more',
  text: __('and %1 more', thousands(links.length)),
  links,
});

export function linkList(found: readonly Link[]): Part[] {
  const rest = found.length - MOST_LINKS;
  return [
    ...found.slice(0, MOST_LINKS).map(link),
    ...(rest > 0 ? [moreLinks(found.slice(MOST_LINKS))] : []),
  ];
}

/** The first facts of a list. If some are left out, the last fact says how many, in the words of
 * `more`. */
export function capped(facts: Fact[], more: (rest: number) => string): Fact[] {
  const rest = facts.length - MOST_FACTS;
  if (rest <= 0) return facts;
  const further = { name: '…', value: [words(more(rest))], more: facts.slice(MOST_FACTS) };
  return [...facts.slice(0, MOST_FACTS), further];
}

export function badgeFact(name: string, texts: readonly string[]): Fact[] {
  return texts.length === 0 ? [] : [{ name, value: badges(texts) }];
}

/** The details of an item. */
export interface Details {
  title: string;
  facts: Fact[];
  source: Source | null;
}

/** The place of an item: its graph, the graph's path, and the item's id. */
export interface ItemPlace {
  stage: Stage;
  graph: Graph;
  path: Id;
  id: Id;
}

/** The name of an item; empty for an unknown id. */
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
    case 'body': {
      const body = graph.eqns[step.eqn]?.bodies[step.index];
      return body ? titleOfBody(body) : '';
    }
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

/** The type of an input or output, or of an eqn's first result; empty if there is none. */
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

/** The links from the whole program to an item: all that encloses it, outermost first, and itself. */
export function crumbs(stage: Stage, id: Id | null): Link[] {
  const ids = id === null || id === ROOT ? [ROOT] : [ROOT, ...hiding(stage, id), id];
  return ids.map((one) => ({ id: one, text: nameOf(stage, one) }));
}

/** The characters of a separator between two labels. */
const SEPARATOR_WIDTH = 3;

/** Chooses which labels fit into a row of `room` characters: the first, and as many of the last as
 * fit, at least one. Returns the index of the first label after the gap; 1 if there is no gap. */
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

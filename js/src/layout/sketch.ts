/** Decides the texts and the size of each item before its region is laid out. */
import { type Caption, captionOf, sizeOf, typesOf } from './caption';
import type { Plan } from './frame';
import { mentionsOf, mentionText } from './mentions';

/** The texts and sizes (px) of the items of a region, in their order. */
export interface Sketch {
  captions: Caption[];
  width: number[];
  height: number[];
  types: string[];
}

/** The sketch of a region. It depends on the wires that are `cut`: an output at the end of one
 * names where its value is made. */
export function sketchOf(plan: Plan, cut: readonly number[]): Sketch {
  const { stage, graph, items, inner, wiring } = plan;
  const far = mentionsOf(plan, cut, 'output');
  const captions = items.map((item, at) => {
    const caption = captionOf(stage, graph, item);
    const from = far.get(at);
    return from ? { ...caption, note: mentionText(plan, from) } : caption;
  });
  const sizes = items.map((item, at) => {
    const frame = inner[at];
    return frame ? { width: frame.w, height: frame.h } : sizeOf(item, captions[at] as Caption);
  });
  const leaving = items.map(() => new Set<number>());
  for (const { source, vars } of wiring.wires) {
    for (const one of vars) leaving[source.item]?.add(one);
  }
  return {
    captions,
    width: sizes.map(({ width }) => width),
    height: sizes.map(({ height }) => height),
    types: items.map((item, at) =>
      inner[at] || item.kind === 'gathered'
        ? ''
        : typesOf(stage, graph, [...(leaving[at] as Set<number>)]),
    ),
  };
}

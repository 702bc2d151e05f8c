import { type Caption, captionOf, sizeOf, typesOf } from './caption';
import type { Plan } from './frame';
import { mentionsOf, mentionText } from './mentions';

/** Each item's texts and size, before it has a place. */
export interface Sketch {
  captions: Caption[];
  width: number[];
  height: number[];
  types: string[];
}

/** What an item says changes with the wires that are cut: an output names where its value is made. */
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

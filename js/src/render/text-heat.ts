import type { Extension } from '@codemirror/state';
import { GutterMarker, gutter } from '@codemirror/view';
import { HEATS, heatOf, lengthOf, type Measure } from '../facts/colours/heat';
import { percentText, shareOf } from '../facts/numbers/amounts';
import { wholeOf } from '../facts/numbers/costs';
import { runsOfGraphs } from '../facts/numbers/runs';
import { spansIn } from '../facts/spans';
import type { Stage } from '../schema';

/** Before each line that an eqn begins on a bar as long as its share of the program, all its runs
 * counted, in the colour of its heat. */
export function heatGutter(stage: Stage, by: Measure): Extension {
  const whole = wholeOf(stage);
  const runs = runsOfGraphs(stage);
  return gutter({
    class: 'jxv-heat-gutter',
    lineMarker(_, line) {
      const [span] = spansIn(stage, { from: line.from, to: line.to });
      const cost = span && stage.graphs[span.graph]?.eqns[span.eqn]?.cost;
      const part = cost?.[by] ?? null;
      if (!span || !cost || part === null) return null;
      const all = { ...cost, [by]: part * (runs[span.graph]?.times ?? 0) };
      const share = shareOf(all[by], whole[by]) ?? 0;
      return share > 0 ? new Bar(share, HEATS[heatOf(all, whole, by)] as string) : null;
    },
  });
}

class Bar extends GutterMarker {
  constructor(
    readonly share: number,
    readonly paint: string,
  ) {
    super();
  }

  override eq(other: Bar): boolean {
    return other.share === this.share && other.paint === this.paint;
  }

  override toDOM(): Node {
    const bar = document.createElement('span');
    bar.className = 'jxv-heat-bar';
    bar.title = percentText(this.share);
    bar.style.width = `${(100 * lengthOf(this.share)).toFixed(1)}%`;
    bar.style.background = `var(--jxv-${this.paint}-line)`;
    return bar;
  }
}

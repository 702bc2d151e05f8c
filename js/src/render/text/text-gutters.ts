/** Marks beside the lines of a stage's text: the differences and the costs of eqns. */
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { allOf, amountOf, HEATS, heatOf, lengthOf, type Measure } from '../../facts/colours/heat';
import {
  CHANGED,
  DIFFERENCE_KINDS,
  type Differences,
  kindAt,
  movesWhole,
  SAME,
} from '../../facts/differences';
import { runsOfRows } from '../../facts/numbers/costs';
import { secondsOfEqn } from '../../facts/numbers/measured';
import { percentText, shareOf } from '../../facts/text/describe';
import { type Span, spanAt, spansIn } from '../../facts/text/spans';
import type { Stage } from '../../schema';

/** Marks the lines of eqns that differ, as a diff does: a sign before them, a ground behind them. Equal lines are
 * faint. */
export function differing(stage: Stage, differences: Differences): Extension {
  return [
    gutter({
      class: 'jxv-d-gutter',
      lineMarker(view, { from }) {
        return MARKERS[kindOf(stage, differences, view, from)] ?? null;
      },
    }),
    ViewPlugin.define(
      (view) => ({
        set: lines(stage, differences, view) as DecorationSet,
        update({ viewportChanged, docChanged, view }: ViewUpdate) {
          if (viewportChanged || docChanged) this.set = lines(stage, differences, view);
        },
      }),
      { decorations: (value) => value.set },
    ),
  ];
}

/** The sign before a line that differs. */
class Sign extends GutterMarker {
  constructor(
    readonly sign: string,
    readonly kind: string,
    readonly label: () => string,
  ) {
    super();
  }

  override eq(other: Sign): boolean {
    return other.kind === this.kind;
  }

  override toDOM(): Node {
    const sign = document.createElement('span');
    sign.className = `jxv-d-sign jxv-d-${this.kind}`;
    sign.textContent = this.sign;
    sign.title = this.label();
    return sign;
  }
}

const MARKERS = DIFFERENCE_KINDS.map(({ sign, kind, label }) => new Sign(sign, kind, label));
const LINE_MARKS = [...DIFFERENCE_KINDS.map(({ kind }) => kind), 'same'].map((kind) =>
  Decoration.line({ class: `jxv-d-line jxv-d-${kind}` }),
);

/** A text with an old and a new value, in a type or a param: `8→5`. */
const BEFORE_AND_AFTER = /[\w.]*→[\w.]*/g;
const BEFORE_AND_AFTER_MARK = Decoration.mark({ class: 'jxv-d-both' });
/** The number of characters of a line that are searched for such texts. */
const MOST_SEARCHED = 5_000;

/** The marks of the lines in view. */
function lines(stage: Stage, differences: Differences, view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const decoration = LINE_MARKS[kindOf(stage, differences, view, line.from)];
      if (decoration) found.add(line.from, line.from, decoration);
      for (const { index, 0: both } of line.text
        .slice(0, MOST_SEARCHED)
        .matchAll(BEFORE_AND_AFTER)) {
        found.add(line.from + index, line.from + index + both.length, BEFORE_AND_AFTER_MARK);
      }
      at = line.to + 1;
    }
  }
  return found.finish();
}

/** The difference of the innermost eqn of a line. All lines of an eqn are marked if it was added, removed or moved,
 * or if it changed and has no bodies; otherwise only its first line is. */
function kindOf(stage: Stage, differences: Differences, view: EditorView, at: number): number {
  const { from, to, text } = view.state.doc.lineAt(at);
  const begun = spansIn(stage, { from, to })[0];
  const span: Span | null = begun ?? spanAt(stage, from + Math.max(0, text.search(/\S/)));
  const graph = span && stage.graphs[span.graph];
  const kind = span && graph ? kindAt(differences, graph, span.eqn) : SAME;
  const whole = movesWhole(kind) || (kind === CHANGED && !span?.bodies);
  return begun || whole ? kind : SAME;
}

/** A bar before each line on which an eqn begins. Its length is the eqn's share of the program over all runs; its
 * colour is its heat. */
export function heatGutter(stage: Stage, by: Measure): Extension {
  const whole = allOf(stage, by);
  const runs = runsOfRows(stage);
  const partOf = ({ graph, eqn }: Span): number | null => {
    if (by === 'time') return secondsOfEqn(stage, graph, eqn, 'all');
    const once = stage.graphs[graph]?.eqns[eqn]?.cost;
    const amount = amountOf(by, once, null);
    return amount === null ? null : amount * (runs[graph]?.times ?? 0);
  };
  return gutter({
    class: 'jxv-heat-gutter',
    lineMarker(_, line) {
      const [span] = spansIn(stage, { from: line.from, to: line.to });
      const part = span ? partOf(span) : null;
      const share = shareOf(part, whole) ?? 0;
      return share > 0 ? new Bar(share, HEATS[heatOf(part, whole)] as string) : null;
    },
  });
}

/** The bar before a line, as long as a share. */
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

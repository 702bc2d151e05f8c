import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ColourBy } from '../facts/colours/colour-classes';
import { type Differences, differencesOf } from '../facts/compared/differences';
import type { Id } from '../facts/ids';
import type { Found } from '../facts/linked/linked';
import { __ } from '../language';
import type { Look } from '../render/text-editor';
import type { Opening, Stage } from '../schema';
import { CELL, firstView } from '../state/budget';
import type { ViewState } from '../state/view-state';
import { announcement, rowsOf } from '../words/outline-rows';
import { Bar } from './bar';
import { ComparisonStrip } from './comparison-strip';
import { Details } from './details';
import { Graph, type GraphControls } from './graph/graph-view';
import type { PointedLine } from './host-events';
import { asLeft, useKept } from './kept-views';
import { type Linking, useLinkedState } from './linked/linking';
import { StageListing } from './linked/source-listing';
import { Totals } from './numbers/cost-summaries';
import { Table } from './numbers/eqn-table';
import { Memory } from './numbers/memory';
import { Tree } from './outline-tree';
import { Panes, Side, type Sight } from './panes';
import { Text } from './stage-text';
import { Trail, useCopiedLink } from './trail';
import { frameKeys, Help } from './view-keys';
import { usePreferences } from './view-root';

interface Props {
  linking: Linking;
  stage: Stage;
  /** What the author of the program chose of how it opens. */
  opening: Opening;
  partial: string | null;
  tabs: ComponentChildren;
}

/** One stage of a program, with all that the reader does to it. */
export function StageView({ linking, stage, opening, partial, tabs }: Props) {
  const { program } = linking;
  const frame = useRef<HTMLDivElement>(null);
  const differences = useMemo(() => differencesOf(program), [program]);
  const preferred = usePreferences();
  const before = useMemo(
    () => asLeft(program, stage, differences, opening, preferred),
    [program, stage],
  );
  const [state, dispatch] = useLinkedState(before.state, linking);
  const [panes, setPanes] = useState(before.panes);
  useKept(program, opening, state, panes, frame);
  const graph = useRef<GraphControls>(null);
  const input = useRef<HTMLInputElement>(null);
  const [help, showHelp] = useState(false);
  const [copied, copy] = useCopiedLink(state);
  const height = useMemo(() => heightFor(before.state), [stage]);
  const { open, only, selected, hovered, lit, query, matches, match, total, tour } = state;
  const said = useMemo(
    () => announcement(state),
    [stage, selected, only, query, match, total, tour],
  );
  const { outline, share } = panes;
  const tree = useMemo(
    () => <Tree {...{ stage, differences, open, only, selected, dispatch }} shown={outline} />,
    [stage, open, only, selected, outline],
  );
  const hover = useCallback((id: Id | null) => dispatch({ type: 'hover', id }), [dispatch]);
  useEffect(() => {
    linking.point(hovered === null ? null : { stage: stage.kind, id: hovered });
  }, [hovered]);
  useEffect(() => () => linking.point(null), []);
  const away = foundIn(stage, linking.pointed);
  const pointed = useMemo(
    () => [...(hovered === null ? [] : [hovered]), ...away.map(({ id }) => id)],
    [hovered, away],
  );
  const by = state.colours === 'bytes' ? 'bytes' : 'flops';
  const look = useMemo(
    () => lookOf(stage, state.colours, differences),
    [stage, state.colours, differences],
  );
  const numbers: Sight[] = [
    { name: 'table', label: __('Table'), content: <Table {...{ program, state, dispatch }} /> },
    { name: 'memory', label: __('Memory'), content: <Memory {...{ program, state, dispatch }} /> },
  ];
  const sights: Sight[] = [
    {
      name: 'text',
      label: __('Text'),
      content: (
        <Text
          {...{ stage, selected, lit, matches, match }}
          hovered={pointed}
          select={(id) => dispatch({ type: 'select', id })}
          hover={hover}
          look={look}
        />
      ),
    },
    {
      name: 'source',
      label: __('Source'),
      content: <StageListing {...{ linking, stage, hovered, hover, by }} />,
    },
    ...(differences ? [] : numbers),
  ];
  const fit = () => graph.current?.fit();
  const shown = () => graph.current?.shown() ?? null;
  const showOutline = (outline: boolean) => setPanes({ ...panes, outline });
  const tools = { state, dispatch, input, outline, showOutline, fit, shown };
  const { listings } = program;
  const toggleHelp = () => showHelp(!help);
  const onKeyDown = frameKeys({ state, listings, dispatch, input, copy, help: toggleHelp });
  const size = panes.height === null ? '' : `;height:${panes.height}px`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls within
    <div
      ref={frame}
      class="jxv-frame"
      style={`--jxv-height:${height}px${size}`}
      onKeyDown={onKeyDown}
    >
      <Bar {...{ program, stage, partial, tabs }} tools={{ ...tools, help: toggleHelp }} />
      {differences && <ComparisonStrip {...{ differences, state, dispatch }} />}
      <div class="jxv-body" role="tabpanel" aria-label={stage.kind}>
        {tree}
        <Panes
          graph={<Graph {...{ state, dispatch }} pointed={away} controls={graph} />}
          text={
            <Side
              sights={sights}
              shown={panes.sight}
              show={(sight) => setPanes({ ...panes, sight })}
              beside={differences ? null : <Totals stage={stage} />}
            />
          }
          share={share}
          resize={(share) => setPanes({ ...panes, share })}
        />
      </div>
      <Details
        {...{ linking, state, dispatch, partial }}
        trail={<Trail {...{ state, dispatch, showWhole: fit, copy, copied }} />}
      />
      {help && <Help close={() => showHelp(false)} />}
      <div class="jxv-hidden" role="status">
        {[said, copied].filter((part) => part !== '').join('; ')}
      </div>
    </div>
  );
}

const NO_LINKS: readonly Found[] = [];

/** What a line that is pointed at in the notebook is linked to. */
function foundIn({ kind }: Stage, pointed: PointedLine | null): readonly Found[] {
  if (!pointed || 'edited' in pointed) return NO_LINKS;
  return pointed.links.stages.get(kind)?.found ?? NO_LINKS;
}

/** The text tells what the boxes tell of costs. An op of a later stage is one line, however long; its
 * details say what is out of sight. */
const lookOf = ({ kind }: Stage, by: ColourBy, differences: Differences | null): Look => ({
  wrap: kind === 'jaxpr',
  tints: null,
  heat: by === 'flops' || by === 'bytes' ? by : null,
  differences: differences?.same === false ? differences : null,
});

/** A notebook's cell is not the place for a tall view of four eqns, px. */
function heightFor({ stage, differences, opening }: ViewState): number {
  const open = firstView(stage, differences, CELL, opening);
  return Math.max(280, Math.min(540, 200 + 30 * rowsOf(stage, open).length));
}

import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { announcement } from '../model/announce';
import { firstView } from '../model/budget';
import type { Found } from '../model/linked';
import { rowsOf } from '../model/rows';
import { type Action, update, type ViewState } from '../model/state';
import type { Stage } from '../schema';
import { Bar } from './bar';
import { Details } from './details';
import { frameKeys } from './frame-keys';
import { Graph, type GraphControls } from './graph';
import { Help } from './help';
import { left, useKept } from './kept';
import { useCopiedLink } from './link';
import type { Linking } from './linking';
import { Panes } from './panes';
import { Text } from './text';
import { Trail } from './trail';
import { Tree } from './tree';

interface Props {
  linking: Linking;
  stage: Stage;
  partial: string | null;
  tabs: ComponentChildren;
}

/** One stage of a program, with all that the reader does to it. */
export function StageView({ linking, stage, partial, tabs }: Props) {
  const { program } = linking;
  const frame = useRef<HTMLDivElement>(null);
  const before = useMemo(() => left(program, stage), [program, stage]);
  const [state, dispatch] = useLinkedState(before.state, linking);
  const [panes, setPanes] = useState(before.panes);
  useKept(program, state, panes, frame);
  const graph = useRef<GraphControls>(null);
  const input = useRef<HTMLInputElement>(null);
  const [help, showHelp] = useState(false);
  const [copied, copy] = useCopiedLink(state);
  const height = useMemo(() => heightFor(stage), [stage]);
  const { open, only, selected, hovered, lit, query, matches, match, total, tour } = state;
  const pointed = useMemo(() => (hovered === null ? [] : [hovered]), [hovered]);
  const said = useMemo(
    () => announcement(state),
    [stage, selected, only, query, match, total, tour],
  );
  const { outline, share } = panes;
  const tree = useMemo(
    () => <Tree {...{ stage, open, only, selected, dispatch }} shown={outline} />,
    [stage, open, only, selected, outline],
  );
  const fit = () => graph.current?.fit();
  const shown = () => graph.current?.shown() ?? null;
  const showOutline = (outline: boolean) => setPanes({ ...panes, outline });
  const tools = { state, dispatch, input, outline, showOutline, fit, shown };
  const onKeyDown = frameKeys({ state, dispatch, input, copy, help: () => showHelp(!help) });
  const size = panes.height === null ? '' : `;height:${panes.height}px`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls within
    <div
      ref={frame}
      class="jxv-frame"
      style={`--jxv-height:${height}px${size}`}
      onKeyDown={onKeyDown}
    >
      <Bar
        {...{ program, stage, partial, tabs }}
        tools={{ ...tools, help: () => showHelp(!help) }}
      />
      <div class="jxv-body" role="tabpanel" aria-label={stage.kind}>
        {tree}
        <Panes
          graph={<Graph state={state} dispatch={dispatch} controls={graph} />}
          text={
            <Text
              {...{ stage, selected, lit, matches, match }}
              hovered={pointed}
              select={(id) => dispatch({ type: 'select', id })}
              hover={(id) => dispatch({ type: 'hover', id })}
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

const NOTHING: readonly Found[] = [];

/** The state of a stage, whose selection is one with that of the whole program. */
function useLinkedState(
  before: ViewState,
  { focus, links, choose }: Linking,
): [ViewState, (action: Action) => void] {
  const { kind } = before.stage;
  const [state, act] = useReducer(update, before);
  const { selected } = state;
  const own = focus && 'id' in focus && focus.stage === kind ? focus.id : null;
  const found = focus && own === null ? (links?.stages.get(kind)?.found ?? NOTHING) : null;
  const known = useRef(own);
  useEffect(() => {
    known.current = own;
    if (own === null) act({ type: 'light', found });
    else if (own !== selected) act({ type: 'select', id: own });
  }, [own, found]);
  useEffect(() => {
    if (selected === known.current) return;
    known.current = selected;
    choose(selected === null ? null : { stage: kind, id: selected });
  }, [selected]);
  const dispatch = useCallback((action: Action) => {
    if (action.type === 'select' && action.id === null) choose(null);
    act(action);
  }, []);
  return [state, dispatch];
}

/** A notebook's cell is not the place for a tall view of four eqns, px. */
function heightFor(stage: Stage): number {
  return Math.max(280, Math.min(540, 200 + 30 * rowsOf(stage, firstView(stage)).length));
}

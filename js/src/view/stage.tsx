import type { Ref } from 'preact';
import { useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { firstView } from '../model/budget';
import { detailsOf } from '../model/details';
import { rowsOf } from '../model/rows';
import { start, update, type ViewState } from '../model/state';
import type { Program, Stage } from '../schema';
import { Bar } from './bar';
import { Details } from './details';
import { Graph, type GraphControls } from './graph';
import { Panes } from './panes';
import { Text } from './text';
import { Tree } from './tree';

interface Props {
  program: Program;
  stage: Stage;
  partial: string | null;
  choose: (stage: Stage) => void;
}

/** One stage of a program, with all that the reader does to it. */
export function StageView({ program, stage, partial, choose }: Props) {
  const [state, dispatch] = useReducer(update, stage, start);
  const graph = useRef<GraphControls>(null);
  const [outline, showOutline] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const height = useMemo(() => heightFor(stage), [stage]);
  const { open, selected } = state;
  const tree = useMemo(
    () => <Tree {...{ stage, open, selected, dispatch }} shown={outline} />,
    [stage, open, selected, outline],
  );
  const fit = () => graph.current?.fit();
  const shown = () => graph.current?.shown() ?? null;
  const tools = { state, dispatch, input, outline, showOutline, fit, shown };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls within
    <div
      class="jxv-frame"
      style={`--jxv-height:${height}px`}
      onKeyDown={(event) => focusFind(event, input)}
    >
      <Bar {...{ program, stage, partial, choose, tools }} />
      <div class="jxv-body" role="tabpanel" aria-label={stage.kind}>
        {tree}
        <Panes
          graph={<Graph state={state} dispatch={dispatch} controls={graph} />}
          text={<Text state={state} dispatch={dispatch} />}
        />
      </div>
      <Details state={state} dispatch={dispatch} partial={partial} />
      <div class="jxv-hidden" role="status">
        {announcement(state)}
      </div>
    </div>
  );
}

/** A notebook's cell is not the place for a tall view of four eqns, px. */
function heightFor(stage: Stage): number {
  return Math.max(280, Math.min(540, 200 + 30 * rowsOf(stage, firstView(stage)).length));
}

/** `/`, or Ctrl+F, or ⌘F. */
function focusFind(event: KeyboardEvent, input: Ref<HTMLInputElement>): void {
  const typing = event.target instanceof HTMLInputElement;
  const slash = event.key === '/' && !typing && !event.ctrlKey && !event.metaKey;
  const find = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey);
  if (!(slash || find) || !input || !('current' in input)) return;
  event.preventDefault();
  event.stopPropagation();
  input.current?.focus({ preventScroll: true });
  input.current?.select();
}

function announcement({ stage, selected, query, matches, match }: ViewState): string {
  const said = selected === null ? null : detailsOf(stage, selected);
  const found =
    query.trim() === '' ? '' : `${match < 0 ? '' : `${match + 1} of `}${matches.length} found`;
  return [said ? `Selected ${said.title}` : '', found].filter((part) => part !== '').join('; ');
}

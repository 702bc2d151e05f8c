/** A graph with its legend, as a stage's view has them. */
import { Graph, useDrawing } from '../src/stage/graph/graph-view';
import { Legend } from '../src/stage/graph/legend';
import type { Action, ViewState } from '../src/state/view-state';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
}

export function Drawn({ state, dispatch }: Props) {
  const drawing = useDrawing(state, dispatch);
  return (
    <>
      <Legend colours={drawing.colours} changed={false} />
      <Graph {...{ state, dispatch, drawing }} />
    </>
  );
}

/** A graph with its legend, as a stage's view has them. */
import type { Action, ViewState } from '../src/state/view-state';
import { Graph, useDrawing } from '../src/view/graph/graph-view';
import { Legend } from '../src/view/graph/legend';

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

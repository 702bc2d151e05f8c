/** The side pane of a graph, on the page of a test. */
import type { FunctionComponent } from 'preact';
import { render } from 'preact';
import { useReducer } from 'preact/hooks';
import { act } from 'preact/test-utils';
import type { Program, Stage } from '../src/schema';
import { type Action, start, update, type ViewState } from '../src/state/view-state';
import { golden } from './fixtures';
import { host } from './page';

interface Props {
  program: Program;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The state of the view that is seen. */
export let state: ViewState;

interface Held {
  program: Program;
  stage: Stage;
  Sight: FunctionComponent<Props>;
}

function Seen({ program, stage, Sight }: Held) {
  const [now, dispatch] = useReducer(update, start(stage));
  state = now;
  return <Sight program={program} state={now} dispatch={dispatch} />;
}

/** Shows the table or the memory of a stage of a golden program. */
export function see(Sight: FunctionComponent<Props>, name: string, kind = 'jaxpr'): void {
  const program = golden(name);
  const stage = program.stages.find((one) => one.kind === kind) as Stage;
  act(() => render(<Seen {...{ program, stage, Sight }} />, host));
}

import { useReducer, useRef } from 'preact/hooks';
import type { Followed } from '../../model/panel/kernel';
import { type PanelState, START, type Tab, update } from '../../model/panel/state';
import type { Panel } from '../../schema';
import { Root } from '../root';
import { Tabs } from '../tabs';
import { Empty, First } from './empty';
import { EventsTab } from './events';
import { FunctionsTab } from './functions';
import { Head } from './head';
import { Inspector } from './inspector';
import { Looking } from './looking';
import { OpenedView } from './opened';

/** What the kernel of a notebook or console traced and captured. Each is looked at as it was when
 * another was worked in. */
export function PanelView({ followed }: { followed: Followed | null }) {
  const states = useRef(new Map<string, PanelState>()).current;
  return (
    <Root label="What JAX sees">
      {followed === null ? (
        <div class="jxv-panel">
          <Empty>
            <p>Open a notebook or a console: what JAX traces in its kernel is shown here.</p>
          </Empty>
        </div>
      ) : (
        <Following key={followed.id} followed={followed} states={states} />
      )}
    </Root>
  );
}

const TABS = [
  { kind: 'functions', label: 'Functions', reason: '' },
  { kind: 'events', label: 'Events', reason: '' },
  { kind: 'inspector', label: 'Inspector', reason: '' },
] as const;

interface Props {
  followed: Followed;
  /** By whom the panel follows. */
  states: Map<string, PanelState>;
}

function Following({ followed, states }: Props) {
  const { id, known } = followed;
  const [state, dispatch] = useReducer(update, states.get(id) ?? START);
  states.set(id, state);
  const panel = known.is === 'told' ? known.panel : null;
  return (
    <div class="jxv-panel">
      <Head followed={followed} panel={panel} />
      <div class="jxv-panel-tabs">
        <Tabs
          label="What is shown"
          tabs={TABS}
          shown={state.tab}
          choose={(tab) => dispatch({ type: 'tab', tab: tab as Tab })}
        />
      </div>
      <Looking {...{ followed, dispatch }} />
      {state.tab === 'inspector' && <Inspector selecting={followed.selecting} />}
      <div class="jxv-panel-lists" hidden={state.tab === 'inspector'}>
        {panel === null || isEmpty(panel) ? (
          <First followed={followed} />
        ) : state.opened ? (
          <OpenedView {...{ followed, panel, state, dispatch }} opened={state.opened} />
        ) : state.list === 'functions' ? (
          <FunctionsTab {...{ panel, state, dispatch }} />
        ) : (
          <EventsTab {...{ panel, state, dispatch }} />
        )}
      </div>
    </div>
  );
}

const isEmpty = ({ log, captures }: Panel): boolean =>
  log.functions.length === 0 && captures.length === 0;

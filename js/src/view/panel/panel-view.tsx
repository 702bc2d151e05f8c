import { useReducer } from 'preact/hooks';
import type { Followed } from '../../model/panel/kernel';
import { START, type Tab, update } from '../../model/panel/state';
import type { Panel } from '../../schema';
import { Root } from '../root';
import { Tabs } from '../tabs';
import { Empty, First } from './empty';
import { EventsTab } from './events';
import { FunctionsTab } from './functions';
import { Head } from './head';
import { Inspector } from './inspector';
import { OpenedView } from './opened';

/** What the kernel of a notebook or console traced and captured. */
export function PanelView({ followed }: { followed: Followed | null }) {
  return (
    <Root label="What JAX sees">
      {followed === null ? (
        <div class="jxv-panel">
          <Empty>
            <p>Open a notebook or a console: what JAX traces in its kernel is shown here.</p>
          </Empty>
        </div>
      ) : (
        <Following key={followed.id} followed={followed} />
      )}
    </Root>
  );
}

const TABS = [
  { kind: 'functions', label: 'Functions', reason: '' },
  { kind: 'events', label: 'Events', reason: '' },
  { kind: 'inspector', label: 'Inspector', reason: '' },
] as const;

function Following({ followed }: { followed: Followed }) {
  const [state, dispatch] = useReducer(update, START);
  const { known } = followed;
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

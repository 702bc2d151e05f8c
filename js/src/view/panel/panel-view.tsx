import { useReducer, useRef } from 'preact/hooks';
import { __ } from '../../model/language';
import type { Followed } from '../../model/panel/followed-kernel';
import {
  columnsIn,
  INITIAL_PANEL,
  type PanelState,
  seenIn,
  type Tab,
  update,
} from '../../model/panel/panel-state';
import type { Panel } from '../../schema';
import { Root } from '../root';
import { Tabs } from '../tabs';
import { useWidth } from '../width';
import { Empty, First } from './empty';
import { EventsTab } from './events';
import { useFocusing } from './focusing';
import { FunctionsTab } from './functions';
import { Head } from './head';
import { Inspector } from './inspector';
import { Looking } from './looking';
import { OpenedView } from './opened';
import { Said } from './said';

/** How a notebook's kernel was looked at last. */
interface Kept {
  state: PanelState;
  /** How far down the lists were scrolled, px. */
  scrolls: Map<string, number>;
}

/** What the kernel of a notebook or console traced and captured. Each is looked at as it was when
 * another was worked in. */
export function PanelView({ followed }: { followed: Followed | null }) {
  const all = useRef(new Map<string, Kept>()).current;
  return (
    <Root label={__('What JAX sees')}>
      {followed === null ? (
        <div class="jxv-panel">
          <Empty>
            <h3>{__('Open a notebook or a console')}</h3>
            <p>{__('What JAX traces in its kernel is shown here.')}</p>
          </Empty>
        </div>
      ) : (
        <Following key={followed.id} followed={followed} kept={keptOf(all, followed.id)} />
      )}
    </Root>
  );
}

function keptOf(all: Map<string, Kept>, id: string): Kept {
  const kept = all.get(id) ?? { state: INITIAL_PANEL, scrolls: new Map() };
  all.set(id, kept);
  return kept;
}

interface Props {
  followed: Followed;
  kept: Kept;
}

function Following({ followed, kept }: Props) {
  const { known, selecting } = followed;
  const { scrolls } = kept;
  const [state, act] = useReducer(update, kept.state);
  kept.state = state;
  const element = useRef<HTMLDivElement>(null);
  const dispatch = useFocusing(element, state, act);
  const columns = columnsIn(useWidth(element) ?? 0);
  const panel = known.is === 'told' && !isEmpty(known.panel) ? known.panel : null;
  const seen = seenIn(panel ? state : { ...state, opened: null }, columns);
  const close = () => dispatch({ type: 'open', opened: null });
  const lists = { state, scrolls, dispatch };
  return (
    <div class={`jxv-panel jxv-panel-${columns}`} ref={element}>
      <Head followed={followed} panel={known.is === 'told' ? known.panel : null} />
      <div class="jxv-panel-tabs">
        <Tabs
          label={__('What is shown')}
          tabs={tabs().filter(({ kind }) => columns < 3 || kind !== 'inspector')}
          shown={columns < 3 ? state.tab : state.list}
          choose={(tab) => dispatch({ type: 'tab', tab: tab as Tab, closes: columns === 1 })}
        />
      </div>
      <Looking {...{ followed, dispatch }} />
      <div class="jxv-panel-columns">
        {seen.list && (
          <div
            class="jxv-panel-lists"
            role="tabpanel"
            aria-label={state.list === 'functions' ? __('Functions') : __('Events')}
          >
            {panel === null ? (
              <First followed={followed} />
            ) : state.list === 'functions' ? (
              <FunctionsTab panel={panel} isWide={columns > 1 && !seen.opened} {...lists} />
            ) : (
              <EventsTab panel={panel} {...lists} />
            )}
          </div>
        )}
        {panel && state.opened && (
          <OpenedView
            {...{ followed, panel, state, dispatch, close }}
            opened={state.opened}
            hidden={!seen.opened}
            isAlone={columns === 1}
          />
        )}
        {seen.inspector && <Inspector selecting={selecting} />}
      </div>
      {panel && <Said log={panel.log} />}
    </div>
  );
}

const tabs = () => [
  { kind: 'functions', label: __('Functions'), reason: '' },
  { kind: 'events', label: __('Events'), reason: '' },
  { kind: 'inspector', label: __('Inspector'), reason: '' },
];

const isEmpty = ({ log, captures }: Panel): boolean =>
  log.functions.length === 0 && captures.length === 0;

/** One selection in all stages of a program: the linked items of each stage, and the reasons for
 * missing links. */
import { type ComponentChildren, Fragment, type RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { findingsAbout, findingsIn } from '../../facts/findings';
import type { Id } from '../../facts/ids';
import {
  type Code,
  codeOf,
  type Focus,
  type Linked,
  type LinkedItem,
  linked,
  NO_CODE,
  NO_LINKS,
} from '../../facts/linked/linked';
import { jaxprOf } from '../../facts/linked/source-lines';
import type { Bright } from '../../facts/reach';
import { __, thousands } from '../../language';
import type { Program, Stage } from '../../schema';
import { FindingFacts } from '../../shell/findings';
import { phrase } from '../../shell/parts/controls';
import {
  type LinesEvent,
  type PointedLine,
  useAnnounced,
  useAsked,
  usePointedLine,
} from '../../shell/parts/host-events';
import { usePreferences } from '../../shell/parts/root';
import { announceLines } from '../../shell/parts/source-link';
import { type Action, update, type ViewState } from '../../state/view-state';
import {
  type Counterparts,
  counterpartsOf,
  linesText,
  type PassText,
  STAGE_NAMES,
} from '../../words/counterparts';
import { detailsOf } from '../../words/item-details';
import type { Stages } from '../later-stages';

/** The selection that all stages of a program share. */
export interface Linking {
  program: Program;
  focus: Focus | null;
  /** The items and lines that are linked to the selection. */
  links: Linked | null;
  jaxpr: Stage | null;
  choose: (focus: Focus | null) => void;
  /** The pointed-at line in the notebook. */
  pointed: PointedLine | null;
  /** Reports the pointed-at item of this view. */
  point: (focus: Focus | null) => void;
  /** Selects an item of a stage, and shows that stage. */
  go: (kind: string, id: Id) => void;
  /** The part of the jaxpr that keeps its colour, such as what JAX had recorded at a step of its
   * trace; null if the selection decides. */
  bright: Bright | null;
  /** From the tab of a tool, once it was opened. */
  passText: PassText | null;
  /** The content below the facts of the selection. */
  below: ((linking: Linking) => ComponentChildren) | null;
}

/** The state of a stage. Its selection is kept equal to that of the whole program. */
export function useLinkedState(
  before: ViewState,
  { focus, links, choose }: Linking,
): [ViewState, (action: Action) => void] {
  const { stage } = before;
  const { kind } = stage;
  const own = focus && 'id' in focus && focus.stage === kind ? focus.id : null;
  const found = focus && own === null ? (links?.stages.get(kind)?.found ?? NO_LINKS) : null;
  const [state, act] = useReducer(update, before, (state) => follow(state, own, found));
  useEffect(() => act({ type: 'stage', stage }), [stage]);
  const { selected } = state;
  // `own` and `found` come from the program's selection, `selected` is the stage's own. `synced` is the last selection
  // on which both agreed. If the program's selection changed to another one, the program wins, and the stage follows.
  // In all other cases the stage wins, and the program follows. One of these: the program's selection became `synced`.
  // That is its answer to the stage, whose selection may have changed again since.
  const outer = useRef({ own, found });
  const synced = useRef(own);
  useEffect(() => {
    const isNew = outer.current.own !== own || outer.current.found !== found;
    outer.current = { own, found };
    if (isNew && own === null) act({ type: 'light', found });
    if (isNew && (found !== null || own !== synced.current)) {
      synced.current = own;
      if (own !== null && own !== selected) act({ type: 'select', id: own });
      return;
    }
    if (selected === synced.current) return;
    synced.current = selected;
    choose(selected === null ? null : { stage: kind, id: selected });
  }, [own, found, selected]);
  const dispatch = useCallback((action: Action) => {
    if (action.type === 'select' && action.id === null) choose(null);
    act(action);
  }, []);
  return [state, dispatch];
}

/** The state of a stage after the program's selection changed. */
function follow(state: ViewState, own: Id | null, found: readonly LinkedItem[] | null): ViewState {
  if (own !== null) return update(state, { type: 'select', id: own });
  return found === null ? state : update(state, { type: 'light', found });
}

/** A number that grows with each click in a view. The host then gets the selection again, because
 * the view with the last click counts. */
function useTurn(element: RefObject<HTMLElement>): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const { current } = element;
    const clicked = () => setTurn((before) => before + 1);
    current?.addEventListener('click', clicked);
    return () => current?.removeEventListener('click', clicked);
  }, []);
  return turn;
}

/** A function that reports the code of the selected or pointed-at item to the notebook. When the
 * view goes away, the report is taken back. */
function useReportedLines(element: RefObject<HTMLElement>, { listings }: Program) {
  const reported = useRef(new Set<LinesEvent['of']>());
  useEffect(() => {
    const { current } = element;
    return () => {
      for (const of of reported.current) announceLines(current, of, NO_CODE, []);
    };
  }, []);
  return (of: LinesEvent['of'], code: Code | null): void => {
    if (code) announceLines(element.current, of, code, listings);
    else if (reported.current.delete(of)) announceLines(element.current, of, NO_CODE, []);
    if (code) reported.current.add(of);
  };
}

/** The selection of a program: `first`, until the reader selects something else, and again when
 * `first` changes. The notebook gets the lines of the selection. */
export function useLinking(
  { program, asked, ask, stop }: Stages,
  later: boolean,
  element: RefObject<HTMLElement>,
  open: (kind: string) => void,
  first: Focus | null,
  known: Pick<Linking, 'bright' | 'passText' | 'below'>,
): Linking {
  const [focus, choose] = useState(first);
  useEffect(() => choose(first), [first]);
  const { stages } = program;
  const links = useMemo(() => focus && linked(stages, focus), [stages, focus]);
  const jaxpr = jaxprOf(program);
  const turn = useTurn(element);
  const reportLines = useReportedLines(element, program);
  useEffect(() => reportLines('selected', links), [focus, turn]);
  const go = (kind: string, id: string) => {
    choose({ stage: kind, id });
    open(kind);
  };
  const pointed = usePointedLine(element, program);
  const now = { program, later: later ? { asked } : null, selected: focus, turn };
  const announce = useAnnounced(element, now, pointed && 'focus' in pointed ? pointed.focus : null);
  const point = (own: Focus | null) => {
    announce(own);
    reportLines('pointed', own && codeOf(stages, own));
  };
  useAsked(
    element,
    (focus) => ('id' in focus ? go(focus.stage, focus.id) : choose(focus)),
    ({ kind, wanted }) => (wanted ? ask(kind) : stop(kind)),
  );
  return { program, focus, links, jaxpr, choose, pointed, point, go, ...known };
}

type ShownLinks = Pick<Linking, 'program' | 'focus' | 'links' | 'go'> &
  Partial<Pick<Linking, 'passText'>>;

interface Props {
  linking: ShownLinks;
  /** The content for missing stages, which may contain counterparts. */
  toMake?: ComponentChildren;
}

/** The counterparts of a stage's selection in the other stages. */
export function CounterpartFacts({ linking, toMake }: Props) {
  const { program, focus, links, go, passText } = linking;
  const all = useMemo(
    () => (focus && links ? counterpartsOf(program, focus, links, passText) : []),
    [program, focus, links, passText],
  );
  const stage = program.stages.find(({ kind }) => kind === focus?.stage);
  const reported = findingsIn(program, usePreferences().ignored);
  const found = stage && focus && 'id' in focus ? findingsAbout(reported, stage, focus.id) : [];
  const becameText = __('became');
  const names = new Set([...all.map(({ name }) => name), ...(toMake ? [becameText] : [])]);
  return (
    <>
      <FindingFacts found={found} />
      {[...names].map((name) => (
        <div class="jxv-fact" key={name}>
          <dt>{name}</dt>
          <dd class="jxv-fates">
            {all
              .filter((counterparts) => counterparts.name === name)
              .map((counterparts) => (
                <Value key={counterparts.stage} counterparts={counterparts} go={go} />
              ))}
            {name === becameText && toMake}
          </dd>
        </div>
      ))}
    </>
  );
}

interface ValueProps {
  counterparts: Counterparts;
  go: (kind: string, id: string) => void;
}

/** The counterparts in one stage. */
function Value({ counterparts, go }: ValueProps) {
  const { of, stage, words, links, rest, more, lines } = counterparts;
  const [opened, showAll] = useState<Counterparts | null>(null);
  const isOpen = opened === counterparts;
  return (
    <span class="jxv-value">
      {of !== '' && <span class="jxv-words">{of}: </span>}
      {words !== '' && <span class="jxv-words">{words} </span>}
      {[...links, ...(isOpen ? more() : [])].map(({ id, text }) => (
        <Fragment key={id}>
          <button type="button" class="jxv-link" onClick={() => go(stage, id)}>
            {text}
          </button>{' '}
        </Fragment>
      ))}
      {rest > 0 && !isOpen && (
        <button type="button" class="jxv-link" onClick={() => showAll(counterparts)}>
          {__('and %1 more', thousands(rest))}
        </button>
      )}
      {lines !== '' && <span class="jxv-words">{__('on %1', lines)}</span>}
    </span>
  );
}

/** The items of a stage that are marked for a selection elsewhere, and a link back to that. */
export function Lit({ linking, kind }: { linking: Linking; kind: string }) {
  const { program, focus, links, go } = linking;
  const counterparts = useMemo(
    () =>
      focus && links && counterpartsOf(program, focus, links).find(({ stage }) => stage === kind),
    [program, focus, links, kind],
  );
  if (!focus || !counterparts) return null;
  const from =
    'id' in focus ? (
      <button type="button" class="jxv-link" onClick={() => go(focus.stage, focus.id)}>
        {STAGE_NAMES.get(focus.stage)} {titleOf(linking, focus)}
      </button>
    ) : (
      linesText([focus.line])
    );
  return (
    <div class="jxv-headline">
      <span class="jxv-words">{phrase((place) => __('Highlighted for %1', place), from)} </span>
      <Value counterparts={{ ...counterparts, of: '', lines: '' }} go={go} />
    </div>
  );
}

function titleOf({ program }: Linking, focus: { stage: string; id: string }): string {
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return (stage && detailsOf(stage, focus.id)?.title) ?? '';
}

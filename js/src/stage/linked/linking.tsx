/** One selection in all stages of a program: the linked items of each stage, and what became of
 * those without a link. */
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
import { tellLines } from '../../shell/parts/source-link';
import { type Action, update, type ViewState } from '../../state/view-state';
import { type Fate, fatesOf, linesText, STAGE_NAMES, type WentText } from '../../words/fate';
import { detailsOf } from '../../words/item-details';
import type { Stages } from '../later-stages';

/** The selection that all stages of a program share. */
export interface Linking {
  program: Program;
  focus: Focus | null;
  /** What the selection is linked to. */
  links: Linked | null;
  jaxpr: Stage | null;
  choose: (focus: Focus | null) => void;
  /** What is pointed at in the notebook. */
  pointed: PointedLine | null;
  /** Says what is pointed at here. */
  point: (focus: Focus | null) => void;
  /** Selects something in a stage, and shows that stage. */
  go: (kind: string, id: Id) => void;
  /** What alone of the jaxpr is bright, as what JAX had recorded at a step of its trace; null where
   * the selection decides. */
  bright: Bright | null;
  /** As the tab of a tool knows it, once that was opened. */
  wentText: WentText | null;
  /** What stands below the facts of the selection. */
  below: ((linking: Linking) => ComponentChildren) | null;
}

/** The state of a stage, whose selection is kept the same as that of the whole program. */
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
  const outer = useRef({ own, found });
  const agreed = useRef(own);
  useEffect(() => {
    const isNew = outer.current.own !== own || outer.current.found !== found;
    outer.current = { own, found };
    if (isNew && own === null) act({ type: 'light', found });
    // What comes back of the stage's own selection may be behind it.
    if (isNew && (found !== null || own !== agreed.current)) {
      agreed.current = own;
      if (own !== null && own !== selected) act({ type: 'select', id: own });
      return;
    }
    if (selected === agreed.current) return;
    agreed.current = selected;
    choose(selected === null ? null : { stage: kind, id: selected });
  }, [own, found, selected]);
  const dispatch = useCallback((action: Action) => {
    if (action.type === 'select' && action.id === null) choose(null);
    act(action);
  }, []);
  return [state, dispatch];
}

/** The state of a stage after the selection of the program changed. */
function follow(state: ViewState, own: Id | null, found: readonly LinkedItem[] | null): ViewState {
  if (own !== null) return update(state, { type: 'select', id: own });
  return found === null ? state : update(state, { type: 'light', found });
}

/** A number that grows with each click in a view. The host is then told of the selection again, as
 * of several views the one that was clicked last counts. */
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

/** Gives a function that tells the notebook the code of what is selected or pointed at, and takes that
 * back when the view goes away. */
function useToldLines(element: RefObject<HTMLElement>, { listings }: Program) {
  const told = useRef(new Set<LinesEvent['of']>());
  useEffect(() => {
    const { current } = element;
    return () => {
      for (const of of told.current) tellLines(current, of, NO_CODE, []);
    };
  }, []);
  return (of: LinesEvent['of'], code: Code | null): void => {
    if (code) tellLines(element.current, of, code, listings);
    else if (told.current.delete(of)) tellLines(element.current, of, NO_CODE, []);
    if (code) told.current.add(of);
  };
}

/** The selection of a program: `first` at first, and again when that changes. The notebook is told
 * which of its lines it stands for. */
export function useLinking(
  { program, asked, ask, stop }: Stages,
  later: boolean,
  element: RefObject<HTMLElement>,
  open: (kind: string) => void,
  first: Focus | null,
  known: Pick<Linking, 'bright' | 'wentText' | 'below'>,
): Linking {
  const [focus, choose] = useState(first);
  useEffect(() => choose(first), [first]);
  const { stages } = program;
  const links = useMemo(() => focus && linked(stages, focus), [stages, focus]);
  const jaxpr = jaxprOf(program);
  const turn = useTurn(element);
  const tell = useToldLines(element, program);
  useEffect(() => tell('selected', links), [focus, turn]);
  const go = (kind: string, id: string) => {
    choose({ stage: kind, id });
    open(kind);
  };
  const pointed = usePointedLine(element, program);
  const now = { program, later: later ? { asked } : null, selected: focus, turn };
  const announce = useAnnounced(element, now, pointed && 'focus' in pointed ? pointed.focus : null);
  const point = (own: Focus | null) => {
    announce(own);
    tell('pointed', own && codeOf(stages, own));
  };
  useAsked(
    element,
    (focus) => ('id' in focus ? go(focus.stage, focus.id) : choose(focus)),
    ({ kind, wanted }) => (wanted ? ask(kind) : stop(kind)),
  );
  return { program, focus, links, jaxpr, choose, pointed, point, go, ...known };
}

type ShownLinks = Pick<Linking, 'program' | 'focus' | 'links' | 'go'> &
  Partial<Pick<Linking, 'wentText'>>;

interface Props {
  linking: ShownLinks;
  /** What is shown for stages that are not here, which it might have become. */
  toMake?: ComponentChildren;
}

/** What has become of a stage's selection in the other stages, or what it was made for. */
export function Fates({ linking, toMake }: Props) {
  const { program, focus, links, go, wentText } = linking;
  const fates = useMemo(
    () => (focus && links ? fatesOf(program, focus, links, wentText) : []),
    [program, focus, links, wentText],
  );
  const stage = program.stages.find(({ kind }) => kind === focus?.stage);
  const reported = findingsIn(program, usePreferences().ignored);
  const found = stage && focus && 'id' in focus ? findingsAbout(reported, stage, focus.id) : [];
  const became = __('became');
  const names = new Set([...fates.map(({ name }) => name), ...(toMake ? [became] : [])]);
  return (
    <>
      <FindingFacts found={found} />
      {[...names].map((name) => (
        <div class="jxv-fact" key={name}>
          <dt>{name}</dt>
          <dd class="jxv-fates">
            {fates
              .filter((fate) => fate.name === name)
              .map((fate) => (
                <Value key={fate.stage} fate={fate} go={go} />
              ))}
            {name === became && toMake}
          </dd>
        </div>
      ))}
    </>
  );
}

interface ValueProps {
  fate: Fate;
  go: (kind: string, id: string) => void;
}

/** What became of the selection in one stage. */
function Value({ fate, go }: ValueProps) {
  const { of, stage, words, links, rest, more, lines } = fate;
  const [all, showAll] = useState<Fate | null>(null);
  const isOpen = all === fate;
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
        <button type="button" class="jxv-link" onClick={() => showAll(fate)}>
          {__('and %1 more', thousands(rest))}
        </button>
      )}
      {lines !== '' && <span class="jxv-words">{__('on %1', lines)}</span>}
    </span>
  );
}

/** What is marked in a stage because of a selection elsewhere, and a link back to that. */
export function Lit({ linking, kind }: { linking: Linking; kind: string }) {
  const { program, focus, links, go } = linking;
  const fate = useMemo(
    () => focus && links && fatesOf(program, focus, links).find(({ stage }) => stage === kind),
    [program, focus, links, kind],
  );
  if (!focus || !fate) return null;
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
      <Value fate={{ ...fate, of: '', lines: '' }} go={go} />
    </div>
  );
}

/** The title of the selection. */
function titleOf({ program }: Linking, focus: { stage: string; id: string }): string {
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return (stage && detailsOf(stage, focus.id)?.title) ?? '';
}

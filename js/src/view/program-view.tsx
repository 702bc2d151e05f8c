import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { tintsOf } from '../facts/colours/tints';
import { type Focus, linked } from '../facts/linked/linked';
import { __ } from '../language';
import type { Opening, Program } from '../schema';
import type { Kernel } from '../state/kernel-requests';
import { Bar } from './bar';
import { useAnnounced, useAsked, usePointedLine } from './host-events';
import { keepTab, leftTab } from './kept-views';
import { callOf, notSaved, STAGE_KINDS, type Stages, StageToMake, useStages } from './later-stages';
import { LinkedView } from './linked/all-stages';
import type { Linking } from './linked/linking';
import { Listings, tellLines } from './source-link';
import { StageView } from './stage-view';
import { type Tab, Tabs } from './tabs';
import { useDark, useOwnKeys, usePreferences } from './view-root';

interface Props {
  program: Program;
  partial: string | null;
  /** What its author chose of how it opens. */
  opening: Opening;
  kernel: Kernel | null;
  /** Whether there is more than a jaxpr to it, here or to be asked for; else it has no tabs. */
  later: boolean;
}

/** The tab with all stages beside one another. */
const ALL = 'all';
/** The stage that every program has. */
const JAXPR = 'jaxpr';

/** A program: its stages, one at a time or all beside one another, and one selection in all. */
export function ProgramView({ program: saved, partial, opening, kernel, later }: Props) {
  const stages = useStages(saved, kernel);
  const isHere = (kind: string) => stages.program.stages.some((one) => one.kind === kind);
  const preferred = usePreferences().opening.stage ?? JAXPR;
  const [shown, show] = useState(() => {
    if (opening.stage != null || !later) return opening.stage ?? JAXPR;
    return leftTab(saved, ALL) ?? (kernel || isHere(preferred) ? preferred : JAXPR);
  });
  const element = useRef<HTMLElement>(null);
  useDark(element);
  useOwnKeys(element);
  const height = useRef(0);
  const need = (kind: string) => {
    if (kind !== ALL && !isHere(kind)) stages.ask(kind);
  };
  useLayoutEffect(() => need(shown), []);
  useUnmade(stages, opening.stage == null ? shown : '', () => show(JAXPR));
  const open = (kind: string) => {
    height.current = element.current?.offsetHeight ?? 0;
    show(kind);
    keepTab(saved, kind);
    need(kind);
  };
  const linking = useLinking(stages, later, element, (kind) => shown !== ALL && open(kind));
  const { program } = stages;
  const tabs = later && (
    <Tabs label={__('Stage')} tabs={tabsOf(stages)} shown={shown} choose={open} />
  );
  const stage = program.stages.find((one) => one.kind === shown);
  const name = useOwnName(program.name);
  return (
    <section ref={element} class="jxv jxv-program" aria-label={name}>
      <Listings.Provider value={program.listings}>
        {shown === ALL ? (
          <LinkedView {...{ linking, stages, partial, tabs }} />
        ) : stage && stage.error === null ? (
          <StageView key={stage.kind} {...{ linking, stage, opening, partial, tabs }} />
        ) : (
          <div class="jxv-frame jxv-short" style={`min-height:${height.current}px`}>
            <Bar {...{ program, stage: null, partial, tabs }} tools={null} />
            <StageToMake kind={shown} stages={stages} />
          </div>
        )}
      </Listings.Provider>
    </section>
  );
}

/** Calls where a stage cannot be made that was only preferred. */
function useUnmade({ program, asked }: Stages, first: string, unmade: () => void): void {
  const isOver = useRef(false);
  const stage = program.stages.find(({ kind }) => kind === first);
  const now = asked?.get(first);
  const failed = (stage?.error ?? null) !== null || (now !== undefined && 'failure' in now);
  useEffect(() => {
    if (failed && !isOver.current) unmade();
    isOver.current ||= failed || stage !== undefined;
  }, [failed, stage]);
}

const LABELS = new Map<string, string>([
  ['jaxpr', 'Jaxpr'],
  ['stablehlo', 'StableHLO'],
  ['hlo', 'HLO'],
]);

function tabsOf({ program, asked }: Stages): Tab[] {
  const ofStages = STAGE_KINDS.map((kind) => {
    const stage = program.stages.find((one) => one.kind === kind);
    const reason = stage ? (stage.error ?? '') : asked ? '' : notSaved(callOf(kind, program));
    return { kind, label: LABELS.get(kind) ?? kind, reason };
  });
  return [...ofStages, { kind: ALL, label: __('All four'), reason: '' }];
}

/** Another number with each click in a view: among several it is the one that is meant from then on. */
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

/** One selection in all stages, and the notebook told of its lines. */
function useLinking(
  { program, asked, ask, stop }: Stages,
  later: boolean,
  element: RefObject<HTMLElement>,
  open: (kind: string) => void,
): Linking {
  const [focus, choose] = useState<Focus | null>(null);
  const { stages, listings } = program;
  const links = useMemo(() => focus && linked(stages, focus), [stages, focus]);
  const jaxpr = stages.find(({ kind, error }) => kind === 'jaxpr' && error === null) ?? null;
  const tints = useMemo(() => jaxpr && tintsOf(jaxpr, listings), [jaxpr, listings]);
  const told = useRef(false);
  const turn = useTurn(element);
  useEffect(() => {
    if (focus || told.current) tellLines(element.current, links?.lines ?? [], listings);
    told.current = focus !== null;
  }, [focus, turn]);
  useEffect(() => {
    const { current } = element;
    return () => told.current && tellLines(current, [], []);
  }, []);
  const go = (kind: string, id: string) => {
    choose({ stage: kind, id });
    open(kind);
  };
  const pointed = usePointedLine(element, program);
  const now = { program, later: later ? { asked } : null, selected: focus, turn };
  const point = useAnnounced(element, now, pointed && 'focus' in pointed ? pointed.focus : null);
  useAsked(
    element,
    (focus) => ('id' in focus ? go(focus.stage, focus.id) : choose(focus)),
    ({ kind, wanted }) => (wanted ? ask(kind) : stop(kind)),
  );
  return { program, focus, links, jaxpr, tints, choose, pointed, point, go };
}

/** By the name of a program the numbers of the views that show one of that name. */
const taken = new Map<string, Set<number>>();

/** What a program's view is called: no two on a page alike. */
function useOwnName(program: string): string {
  const [number, setNumber] = useState(1);
  useLayoutEffect(() => {
    const others = taken.get(program) ?? new Set<number>();
    taken.set(program, others);
    let own = 1;
    while (others.has(own)) own += 1;
    others.add(own);
    setNumber(own);
    return () => others.delete(own);
  }, [program]);
  return number === 1
    ? __('JAX program %1', program)
    : __('JAX program %1, number %2 of that name', program, number);
}

/** The view of a program: tabs for its stages, and one selection in all of them. */
import type { ComponentChildren, ComponentProps, FunctionComponent, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Focus } from '../facts/linked/linked';
import type { Bright } from '../facts/reach';
import { __ } from '../language';
import type { Opening, Program, Report, Sentence, Stage } from '../schema';
import {
  callOf,
  notSaved,
  STAGE_KINDS,
  type Stages,
  StageToMake,
  useStages,
} from '../stage/later-stages';
import { type Linking, useLinking } from '../stage/linked/linking';
import { StageView } from '../stage/stage-view';
import type { FixKernel, Kernel } from '../state/kernel-requests';
import type { WentText } from '../words/fate';
import { sentenceText } from '../words/kernel-text';
import { Bar } from './bar';
import { useFindings } from './findings';
import { type Tab, Tabs, useWidth } from './parts/controls';
import { later } from './parts/deferred';
import { keepTab, leftTab } from './parts/remembered-views';
import { useDark, useEnlarged, useOwnKeys, usePreferences } from './parts/root';
import { Listings } from './parts/source-link';

const MemoryFit = later(async () => (await import('../stage/numbers/memory')).MemoryFit);
const LinkedView = later(async () => (await import('../stage/linked/all-stages')).LinkedView);

export interface ProgramProps {
  program: Program;
  partial: Sentence | null;
  /** How the author of the program wants it to open. */
  opening: Opening;
  kernel: Kernel | null;
  /** Whether it has tabs; not where there can be no other stage than the jaxpr. */
  later: boolean;
  /** As in `Stages`. */
  where?: string;
  /** What stands above it. */
  above?: ComponentChildren;
  /** What is selected at first, and whenever this changes. */
  selected?: Focus | null;
  /** The tabs that tools add, always the same ones. */
  toolTabs?: readonly ToolTab[];
  /** What a tool reports: its tab is seen first. */
  report?: Report | null;
  /** As in `Linking`. */
  bright?: Bright | null;
  /** As in `Linking`. */
  below?: Linking['below'];
}

/** A tab that a tool adds to the view of a program. */
export interface ToolTab {
  tool: Report['tool'];
  label: () => string;
  /** A hook that returns what the tab shows; null if the program has no such tab. */
  useShown: (kernel: Kernel | null, report: Report | null) => ShownTab | null;
}

export interface ShownTab {
  /** A further stage of the program: what is selected in it is seen in this tab. */
  stage: Stage | null;
  /** As in `Linking`. */
  wentText: WentText | null;
  view: (props: TabProps) => ComponentChildren;
}

export interface TabProps extends Omit<ComponentProps<typeof StageView>, 'stage' | 'below'> {
  /** The list of findings, if it is open. */
  list: ComponentChildren;
  element: RefObject<HTMLElement>;
}

/** What the view of a report gets: a program as `ProgramView` does, and what only some reports need. */
export interface ReportProps<Of = Report>
  extends Omit<ProgramProps, 'above' | 'selected' | 'bright' | 'report'> {
  report: Of;
  /** FixKernel the fixes of a card; null where there is no kernel for it. */
  tries?: FixKernel | null | undefined;
  /** Shows the report on what a fix makes. */
  show?: FunctionComponent<ReportProps> | undefined;
  /** Whether the programs of a job are of engines of ipyparallel, which have numbers of their own. */
  engines?: boolean | undefined;
}

type Source = Omit<ProgramProps, 'program' | 'above' | 'selected'>;

/** The tab that shows the source and stages in columns, and the least width of a view, px, in which all
 * stages have room there. */
const ALL = 'all';
const ROOM_FOR_ALL = 1000;
/** The stage that is seen first where none is chosen: the jaxpr, or the first that could be made. */
const firstMade = ({ stages }: Program): string =>
  stages.find(({ error }) => error === null)?.kind ?? 'jaxpr';

/** A program, of which one stage is shown at a time, or all in columns. */
export function ProgramView({ program: saved, above, selected = null, ...source }: ProgramProps) {
  const { partial, opening, kernel, later, where, bright = null, below = null } = source;
  const ofTools = useToolTabs(source);
  const stages = useStagesOfTools(useStages(saved, kernel, where), ofTools);
  const element = useRef<HTMLElement>(null);
  useDark(element);
  useOwnKeys(element);
  const [shown, open] = useShownTab(saved, source, stages);
  const select = (kind: string) =>
    shown !== ALL && open(ofTools.find(({ stage }) => stage?.kind === kind)?.tool ?? kind);
  const wentText = ofTools.find((one) => one.wentText)?.wentText ?? null;
  const known = { bright, wentText, below };
  const linking = useLinking(stages, later, element, select, selected, known);
  const { program } = stages;
  const wide = (useWidth(element) ?? ROOM_FOR_ALL) >= ROOM_FOR_ALL;
  const { button, list } = useFindings(program, linking.go);
  const tabs = (
    <>
      {button}
      {later && (
        <Tabs
          label={__('Stage')}
          tabs={tabsOf(stages, wide, ofTools)}
          shown={shown}
          choose={open}
        />
      )}
    </>
  );
  const [enlarged, enlarge] = useEnlarged(element);
  const seen = useSeen(program, shown);
  const place = useRef<Focus | null>(null);
  const view = { linking, opening, partial, tabs, list, place, enlarged, enlarge };
  const ofTool = ofTools.find(({ tool }) => tool === shown);
  const name = useOwnName(program.name);
  return (
    <section ref={element} class="jxv jxv-program" aria-label={name}>
      {above}
      {opening.memory != null && (
        <MemoryFit program={program} memory={opening.memory} go={linking.go} />
      )}
      <Listings.Provider value={program.listings}>
        {shown === ALL ? (
          <LinkedView {...{ linking, stages, partial, tabs, list, wide, enlarge }} />
        ) : ofTool ? (
          ofTool.view({ ...view, element })
        ) : (
          <OneStage seen={seen} shown={shown} stages={stages} {...view} />
        )}
      </Listings.Provider>
    </section>
  );
}

interface OneStageProps extends Omit<TabProps, 'element'> {
  seen: ReturnType<typeof useSeen>;
  shown: string;
  stages: Stages;
}

/** The stage that is shown, or what is seen until it is here. */
function OneStage({ seen: [stage, isHere], shown, stages, list, ...view }: OneStageProps) {
  const { partial, tabs } = view;
  return stage ? (
    <StageView
      key={stage.kind}
      {...{ ...view, stage }}
      below={[list, !isHere && <StageToMake key="make" kind={shown} stages={stages} />]}
    />
  ) : (
    <div class="jxv-frame jxv-short">
      <Bar {...{ program: stages.program, stage: null, partial, tabs }} tools={null} />
      <StageToMake kind={shown} stages={stages} />
    </div>
  );
}

type ToolTabs = readonly (ToolTab & ShownTab)[];

/** The tabs of tools that the program has. */
const useToolTabs = ({ toolTabs, kernel, later, report }: Source): ToolTabs =>
  (toolTabs ?? []).flatMap((tab) => {
    const shown = tab.useShown(later ? kernel : null, report ?? null);
    return shown ? [{ ...tab, ...shown }] : [];
  });

/** The stages, and after them those that tabs of tools show. */
function useStagesOfTools(stages: Stages, ofTools: ToolTabs): Stages {
  const { program } = stages;
  const more = ofTools.flatMap(({ stage }) => stage ?? []);
  const whole = useMemo(
    () => (more.length > 0 ? { ...program, stages: [...program.stages, ...more] } : program),
    [program, ...more],
  );
  return { ...stages, program: whole };
}

/** The stage to show, and whether it is the one that was asked for: until that is here, the one that
 * was seen last stays. */
function useSeen(program: Program, shown: string): [Stage | undefined, boolean] {
  const last = useRef(firstMade(program));
  const made = (kind: string) =>
    program.stages.find((one) => one.kind === kind && one.error === null);
  const stage = made(shown);
  if (stage) last.current = shown;
  return [stage ?? made(last.current), stage !== undefined];
}

/** The tab that is shown, and a function that shows another. A stage that is not here is then asked
 * for. */
function useShownTab(
  saved: Program,
  { opening, kernel, later, toolTabs, report }: Source,
  stages: Stages,
): [string, (kind: string) => void] {
  const isHere = (kind: string) => stages.program.stages.some((one) => one.kind === kind);
  const first = firstMade(saved);
  const preferred = usePreferences().opening.stage ?? first;
  const [shown, show] = useState<string>(() => {
    const reported = later && toolTabs?.find(({ tool }) => tool === report?.tool);
    if (reported) return reported.tool;
    if (opening.stage != null || !later) return opening.stage ?? first;
    return leftTab(saved, ALL) ?? (kernel || isHere(preferred) ? preferred : first);
  });
  const need = (kind: string) => {
    if (STAGE_KINDS.includes(kind) && !isHere(kind)) stages.ask(kind);
  };
  useLayoutEffect(() => need(shown), []);
  useUnmade(stages, opening.stage == null ? shown : '', () => show(first));
  const choose = (kind: string) => {
    show(kind);
    keepTab(saved, kind);
    need(kind);
  };
  return [shown, choose];
}

/** Calls `unmade` once if the stage that was opened first cannot be made. */
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

function tabsOf({ program, asked, where }: Stages, wide: boolean, ofTools: ToolTabs): Tab[] {
  const ofStages = STAGE_KINDS.map((kind) => {
    const stage = program.stages.find((one) => one.kind === kind);
    const reason = stage?.error
      ? sentenceText(stage.error)
      : stage || asked
        ? ''
        : notSaved(callOf(kind, program, where));
    return { kind, label: LABELS.get(kind) ?? kind, reason };
  });
  const label = wide ? __('All four') : __('With source');
  const more = ofTools.map(({ tool, label }) => ({ kind: tool, label: label(), reason: '' }));
  return [...ofStages, ...more, { kind: ALL, label, reason: '' }];
}

/** The numbers that views on the page have, by the name of their program. */
const taken = new Map<string, Set<number>>();

/** The accessible name of a program's view. Views of programs of one name are numbered. */
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

/** The view of a program: tabs for its stages, with one selection in all of them. */
import type { ComponentChildren, ComponentProps, FunctionComponent, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Focus } from '../facts/linked/linked';
import type { Bright } from '../facts/reach';
import { sentenceText } from '../facts/text/sentence-text';
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
import type { PassText } from '../words/counterparts';
import { Bar } from './bar';
import { useFindings } from './findings';
import { type Tab, Tabs, useWidth } from './parts/controls';
import { later } from './parts/deferred';
import { savedTab, saveTab } from './parts/remembered-views';
import { useDark, useEnlarged, useOwnKeys, usePreferences } from './parts/root';
import { Listings } from './parts/source-link';

const MemoryFit = later(async () => (await import('../stage/numbers/memory')).MemoryFit);
const LinkedView = later(async () => (await import('../stage/linked/all-stages')).LinkedView);

export interface ProgramProps {
  program: Program;
  partial: Sentence | null;
  /** The opening that the program's author chose. */
  opening: Opening;
  kernel: Kernel | null;
  /** True if it has tabs; false if there can be no stage but the jaxpr. */
  later: boolean;
  /** See `Stages`. */
  where?: string;
  /** The content above it. */
  above?: ComponentChildren;
  /** The first selection, and the new one whenever this changes. */
  selected?: Focus | null;
  /** The tabs of tools, always the same ones. */
  toolTabs?: readonly ToolTab[];
  /** A tool's report: its tab is shown first. */
  report?: Report | null;
  /** See `Linking`. */
  bright?: Bright | null;
  /** See `Linking`. */
  below?: Linking['below'];
}

/** A tab of a tool in the view of a program. */
export interface ToolTab {
  tool: Report['tool'];
  label: () => string;
  /** A hook that returns the content of the tab; null if the program has no such tab. */
  useShown: (kernel: Kernel | null, report: Report | null) => ShownTab | null;
}

export interface ShownTab {
  /** A further stage of the program: a selection in it opens this tab. */
  stage: Stage | null;
  /** See `Linking`. */
  passText: PassText | null;
  view: (props: TabProps) => ComponentChildren;
}

export interface TabProps extends Omit<ComponentProps<typeof StageView>, 'stage' | 'below'> {
  /** The list of findings, if it is open. */
  list: ComponentChildren;
  element: RefObject<HTMLElement>;
}

/** The props of a report's view: those of `ProgramView`, and what only some reports need. */
export interface ReportProps<Of = Report>
  extends Omit<ProgramProps, 'above' | 'selected' | 'bright' | 'report'> {
  report: Of;
  /** Tries the fixes of a card; null if there is no kernel for it. */
  fixKernel?: FixKernel | null | undefined;
  /** Shows the report on the result of a fix. */
  show?: FunctionComponent<ReportProps> | undefined;
  /** True if the programs of a job are of engines of ipyparallel, which have their own numbers. */
  engines?: boolean | undefined;
}

type Source = Omit<ProgramProps, 'program' | 'above' | 'selected'>;

/** The tab with the source and stages in columns, and the least width of a view, px, that has room
 * for all stages there. */
const ALL = 'all';
const ROOM_FOR_ALL = 1000;
/** The first stage without a choice: the jaxpr, or the first that could be made. */
const firstMade = ({ stages }: Program): string =>
  stages.find(({ error }) => error === null)?.kind ?? 'jaxpr';

/** A program: one stage at a time, or all in columns. */
export function ProgramView({ program: saved, above, selected = null, ...source }: ProgramProps) {
  const { partial, opening, kernel, later, where, bright = null, below = null } = source;
  const tabsOfTools = useToolTabs(source);
  const stages = useStagesOfTools(useStages(saved, kernel, where), tabsOfTools);
  const element = useRef<HTMLElement>(null);
  useDark(element);
  useOwnKeys(element);
  const [shown, open] = useShownTab(saved, source, stages);
  const select = (kind: string) =>
    shown !== ALL && open(tabsOfTools.find(({ stage }) => stage?.kind === kind)?.tool ?? kind);
  const passText = tabsOfTools.find((one) => one.passText)?.passText ?? null;
  const shared = { bright, passText, below };
  const linking = useLinking(stages, later, element, select, selected, shared);
  const { program } = stages;
  const wide = (useWidth(element) ?? ROOM_FOR_ALL) >= ROOM_FOR_ALL;
  const { button, list } = useFindings(program, linking.go);
  const tabs = (
    <>
      {button}
      {later && (
        <Tabs
          label={__('Stage')}
          tabs={tabsOf(stages, wide, tabsOfTools)}
          shown={shown}
          choose={open}
        />
      )}
    </>
  );
  const [enlarged, enlarge] = useEnlarged(element);
  const visibleStage = useVisibleStage(program, shown);
  const place = useRef<Focus | null>(null);
  const view = { linking, opening, partial, tabs, list, place, enlarged, enlarge };
  const toolTab = tabsOfTools.find(({ tool }) => tool === shown);
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
        ) : toolTab ? (
          toolTab.view({ ...view, element })
        ) : (
          <OneStage visibleStage={visibleStage} shown={shown} stages={stages} {...view} />
        )}
      </Listings.Provider>
    </section>
  );
}

interface OneStageProps extends Omit<TabProps, 'element'> {
  visibleStage: ReturnType<typeof useVisibleStage>;
  shown: string;
  stages: Stages;
}

/** The shown stage, or another one until it is here. */
function OneStage({ visibleStage: [stage, isHere], shown, stages, list, ...view }: OneStageProps) {
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

/** The tabs of tools for this program. */
const useToolTabs = ({ toolTabs, kernel, later, report }: Source): ToolTabs =>
  (toolTabs ?? []).flatMap((tab) => {
    const shown = tab.useShown(later ? kernel : null, report ?? null);
    return shown ? [{ ...tab, ...shown }] : [];
  });

/** The stages, followed by those of the tools' tabs. */
function useStagesOfTools(stages: Stages, tabsOfTools: ToolTabs): Stages {
  const { program } = stages;
  const more = tabsOfTools.flatMap(({ stage }) => stage ?? []);
  const whole = useMemo(
    () => (more.length > 0 ? { ...program, stages: [...program.stages, ...more] } : program),
    [program, ...more],
  );
  return { ...stages, program: whole };
}

/** The stage to show, and true if it is the requested one. Until that is here, the last shown stage
 * stays. */
function useVisibleStage(program: Program, shown: string): [Stage | undefined, boolean] {
  const last = useRef(firstMade(program));
  const successful = (kind: string) =>
    program.stages.find((one) => one.kind === kind && one.error === null);
  const stage = successful(shown);
  if (stage) last.current = shown;
  return [stage ?? successful(last.current), stage !== undefined];
}

/** The shown tab, and a function that shows another one. A missing stage is requested. */
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
    return savedTab(saved, ALL) ?? (kernel || isHere(preferred) ? preferred : first);
  });
  const request = (kind: string) => {
    if (STAGE_KINDS.includes(kind) && !isHere(kind)) stages.ask(kind);
  };
  useLayoutEffect(() => request(shown), []);
  useUnmade(stages, opening.stage == null ? shown : '', () => show(first));
  const choose = (kind: string) => {
    show(kind);
    saveTab(saved, kind);
    request(kind);
  };
  return [shown, choose];
}

/** Calls `unmade` once if the stage that was opened first cannot be made. */
function useUnmade({ program, asked }: Stages, first: string, unmade: () => void): void {
  const isSettled = useRef(false);
  const stage = program.stages.find(({ kind }) => kind === first);
  const now = asked?.get(first);
  const failed = (stage?.error ?? null) !== null || (now !== undefined && 'failure' in now);
  useEffect(() => {
    if (failed && !isSettled.current) unmade();
    isSettled.current ||= failed || stage !== undefined;
  }, [failed, stage]);
}

const LABELS = new Map<string, string>([
  ['jaxpr', 'Jaxpr'],
  ['stablehlo', 'StableHLO'],
  ['hlo', 'HLO'],
]);

function tabsOf({ program, asked, where }: Stages, wide: boolean, tabsOfTools: ToolTabs): Tab[] {
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
  const more = tabsOfTools.map(({ tool, label }) => ({ kind: tool, label: label(), reason: '' }));
  return [...ofStages, ...more, { kind: ALL, label, reason: '' }];
}

/** The numbers of the views on the page, by the name of their program. */
const viewNumbers = new Map<string, Set<number>>();

/** The accessible name of a program's view. Views of programs with the same name are numbered. */
function useOwnName(program: string): string {
  const [number, setNumber] = useState(1);
  useLayoutEffect(() => {
    const others = viewNumbers.get(program) ?? new Set<number>();
    viewNumbers.set(program, others);
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

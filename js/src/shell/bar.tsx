/** The bar above a stage: the program's name, tabs and commands, and the steps of its trace. */
import { type ComponentChildren, createContext, type Ref } from 'preact';
import {
  useContext,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'preact/hooks';
import { allEqns } from '../facts/graph';
import { joined } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { donatedText, fixedText, shortSignature, signature } from '../facts/text/types';
import { __ } from '../language';
import type { Shown } from '../render/shown-picture';
import type { Program, Sentence, Stage, Steps } from '../schema';
import type { Colours } from '../stage/graph/graph-marks';
import { colourChoices, Legend } from '../stage/graph/legend';
import type { Action, ViewState } from '../state/view-state';
import { countRule, eqnsText } from '../words/fact-parts';
import { entriesOf } from './export';
import { Find } from './find-box';
import { usePainted } from './parts/deferred';
import { onExport } from './parts/host-events';
import { type Entry, MenuButton, type Section } from './parts/menu';

interface Props {
  program: Program;
  /** The shown stage; null if several are shown, or none. */
  stage: Stage | null;
  /** One sentence on what was left out when the program was saved; null if nothing was. */
  partial: Sentence | null;
  tabs: ComponentChildren;
  /** Null if the stage could not be made: then there is nothing to find or fold. */
  tools: Tools | null;
  /** The end of a bar without tools. */
  children?: ComponentChildren;
}

interface Tools {
  state: ViewState;
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
  colours: Colours;
  zoom: Ref<ZoomFigure>;
  fit: () => void;
  shown: () => Shown | null;
  outline: boolean;
  showOutline: (shown: boolean) => void;
  help: () => void;
  /** True if the view has the whole window. */
  enlarged: boolean;
  enlarge: () => void;
}

/** The most characters of a signature in a wide bar. */
const LONGEST_SIGNATURE = 90;
/** A program with at most this many eqns has a bar without counts and legend. */
const FEW_EQNS = 20;

export function Bar({ program, stage, partial, tabs, tools, children }: Props) {
  const eqns = stage ? allEqns(stage) : 0;
  const isLarge = eqns > FEW_EQNS;
  const short = useMemo(
    () => joined(' · ', [shortSignature(program, LONGEST_SIGNATURE), donatedText(program)]),
    [program],
  );
  const painted = usePainted(1);
  const about = useMemo(() => (painted ? tooltipOf(program) : ''), [program, painted]);
  const countText =
    partial !== null ? __('saved in part') : isLarge && stage ? eqnsText(stage, eqns) : '';
  return (
    <header class="jxv-bar">
      <div class="jxv-called">
        <span
          class="jxv-name"
          title={countText === '' ? program.name : `${program.name} · ${countText}`}
        >
          {program.name}
        </span>
        <span class="jxv-signature" title={about}>
          {short}
        </span>
      </div>
      <div class="jxv-of-stage">
        {tabs}
        {stage && !program.compared && countText !== '' && (
          <span
            class="jxv-counts"
            title={partial === null ? countRule(stage) : sentenceText(partial)}
          >
            {countText}
          </span>
        )}
        {tools && <Looks {...{ tools, isLarge }} />}
      </div>
      {children}
      {tools && stage && <Commands {...{ program, stage, partial, tools, isLarge }} />}
    </header>
  );
}

/** The tooltip of the signature. */
const tooltipOf = (program: Program): string =>
  joined(' · ', [signature(program), fixedText(program)]);

interface LooksProps {
  tools: Tools;
  isLarge: boolean;
}

/** True if the bar has the legend; else the colours are in the menu. */
const hasLegend = ({ tools: { colours, state }, isLarge }: LooksProps): boolean =>
  isLarge || isChanged(state) || colours.colouring.by !== 'family';

/** True for a comparison of programs that differ. */
const isChanged = ({ differences }: ViewState): boolean => differences?.same === false;

/** The steps back, the legend and the zoom. */
function Looks(props: LooksProps) {
  const { state, dispatch, colours, zoom, fit } = props.tools;
  const { history } = state;
  return (
    <>
      {history.past.length + history.future.length > 0 && <Travel {...{ history, dispatch }} />}
      {hasLegend(props) && <Legend {...{ colours, changed: isChanged(state) }} />}
      <Zoom controls={zoom} fit={fit} />
    </>
  );
}

interface CommandsProps extends LooksProps, Pick<Props, 'program' | 'partial'> {
  stage: Stage;
}

function Commands({ tools, isLarge, ...exported }: CommandsProps) {
  const { state, dispatch, input, colours, shown } = tools;
  const step = useStepEntry();
  const sections = () => [
    { entries: step ? [...commandsOf(tools), step] : commandsOf(tools) },
    ...(hasLegend({ tools, isLarge }) ? [] : colourChoices(colours, isChanged(state))),
    ...exportsOf({ ...exported, selected: state.selected, shown }),
  ];
  return (
    <>
      <Find state={state} dispatch={dispatch} input={input} />
      <More sections={sections} />
    </>
  );
}

function Travel({ history, dispatch }: Pick<ViewState, 'history'> & Pick<Tools, 'dispatch'>) {
  const arrow = (text: string, name: string, keys: string, places: number, by: 1 | -1) => (
    <button
      type="button"
      class="jxv-button jxv-small"
      aria-label={name}
      title={`${name} ( ${keys} )`}
      aria-disabled={places === 0}
      onClick={() => dispatch({ type: 'travel', by })}
    >
      {text}
    </button>
  );
  return (
    <div class="jxv-buttons">
      {arrow('←', __('Back'), 'Alt+←', history.past.length, -1)}
      {arrow('→', __('Forward'), 'Alt+→', history.future.length, 1)}
    </div>
  );
}

/** Gets the picture's state each time it is drawn. */
export interface ZoomFigure {
  draw(shown: Shown): void;
}

/** The zoom of the graph, if it is not 100 %. A press shows all of the graph. */
function Zoom({ controls, fit }: { controls: Ref<ZoomFigure>; fit: () => void }) {
  const [percent, set] = useState(100);
  useImperativeHandle(
    controls,
    () => ({ draw: ({ camera }) => set(Number((camera.zoom * 100).toPrecision(2))) }),
    [],
  );
  if (percent === 100) return null;
  return (
    <button
      type="button"
      class="jxv-button jxv-plain jxv-zoom"
      title={__('Size of the graph. Show all of it ( 0 )')}
      onClick={fit}
    >
      {percent} %
    </button>
  );
}

function commandsOf(tools: Tools): Entry[] {
  const { dispatch, fit, outline, showOutline, enlarged, enlarge, help } = tools;
  return [
    { label: __('Fit'), after: '0', run: fit },
    { label: __('Expand all'), run: () => dispatch({ type: 'expand' }) },
    { label: __('Collapse all'), run: () => dispatch({ type: 'collapse' }) },
    {
      label: __('Outline'),
      chosen: { as: 'checkbox', now: outline },
      run: () => showOutline(!outline),
    },
    {
      label: enlarged ? __('Back to its place') : __('Whole window'),
      after: enlarged ? 'Escape' : 'f',
      run: enlarge,
    },
    { label: __('Keys and notes'), after: '?', run: help },
  ];
}

/** The entries that save and copy. Only the first group has a heading. */
const exportsOf = (exported: Parameters<typeof entriesOf>[0]): Section[] =>
  entriesOf(exported).map((entries, index) => ({
    ...(index === 0 ? { heading: __('Export') } : {}),
    entries: entries.map(({ code, ...entry }) => ({
      ...entry,
      ...(code ? { after: <code>{code}</code> } : {}),
    })),
  }));

/** The menu with the commands that the bar does not show. */
function More({ sections }: { sections: () => readonly Section[] }) {
  const element = useRef<HTMLSpanElement>(null);
  const opener = useRef<(heading: string) => void>(() => {});
  useEffect(() => onExport(element.current, () => opener.current?.(__('Export'))), []);
  return (
    <span class="jxv-menu-more" ref={element}>
      <MenuButton name={__('More')} class="jxv-button jxv-small" {...{ sections, opener }}>
        ⋯
      </MenuButton>
    </span>
  );
}

/** A program that was traced once more for its steps. */
export interface Stepped {
  program: Program;
  partial: Sentence | null;
  report: Steps;
}

const StepEntry = createContext<Entry | null>(null);

/** The menu entry for the steps; null if the program cannot be traced once more. */
const useStepEntry = (): Entry | null => useContext(StepEntry);

interface StepThroughProps {
  /** Asks the kernel to trace the program once more. */
  stepping: (() => Promise<Stepped>) | null;
  player: (found: Stepped) => ComponentChildren;
  /** The program without steps. */
  children: ComponentChildren;
}

/** The program, or the player of its trace once the reader has asked for it. */
export function StepThrough({ stepping, player, children }: StepThroughProps) {
  const [found, find] = useState<Stepped | null>(null);
  const entry = found
    ? { label: __('Back to the program without steps'), run: () => find(null) }
    : stepping && {
        label: __('Step through its trace'),
        after: __('runs its Python once more'),
        run: () => stepping().then(find),
      };
  return <StepEntry.Provider value={entry}>{found ? player(found) : children}</StepEntry.Provider>;
}

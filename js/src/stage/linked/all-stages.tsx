/** The source, and beside it all stages, or one of them if there is less room. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { allEqns } from '../../facts/graph';
import type { Id } from '../../facts/ids';
import { type Focus, type Linked, type Links, linked } from '../../facts/linked/linked';
import { numbersOf } from '../../facts/linked/origins';
import { type LinePlace, type Tints, tintsOf } from '../../facts/linked/source-lines';
import { sentenceText } from '../../facts/text/sentence-text';
import { __ } from '../../language';
import type { TextOptions } from '../../render/text/text-editor';
import type { Program, Sentence, Stage } from '../../schema';
import { Bar } from '../../shell/bar';
import { Find } from '../../shell/find-box';
import type { PointedLine } from '../../shell/parts/host-events';
import { linkedKeys } from '../../shell/view-keys';
import { start } from '../../state/view-state';
import { isGuess, linesText, STAGE_NAMES, WHY_NO_LINKS } from '../../words/counterparts';
import { eqnsText, nameOf } from '../../words/fact-parts';
import { STAGE_KINDS, type Stages, StagesToMake, StageToMake } from '../later-stages';
import { Text } from '../stage-text';
import { type Linking, useLinkedState } from './linking';
import { Listing } from './source-listing';

interface Props {
  linking: Linking;
  stages: Stages;
  partial: Sentence | null;
  tabs: ComponentChildren;
  /** The content below the bar. */
  list: ComponentChildren;
  /** True if all stages have room side by side. */
  wide: boolean;
  /** Gives the view the whole window, or ends that. */
  enlarge: () => void;
}

/** The source and the stages in columns: the selection in one is marked in the others. */
export function LinkedView({ linking, stages, partial, tabs, list, wide, enlarge }: Props) {
  const { program, choose } = linking;
  const [pointed, point] = usePointed(linking);
  const present = STAGE_KINDS.filter((kind) => stageIn(program, kind));
  const [only, show] = useState<string>(present.at(-1) ?? 'jaxpr');
  const find = useRef<HTMLInputElement>(null);
  const pointedLinks = useMemo(
    () => (pointed ? linked(program.stages, pointed) : linksOf(linking.pointed)),
    [program.stages, pointed, linking.pointed],
  );
  const shown = wide ? present : [only];
  const searched = stageIn(program, shown[0] ?? '');
  const onKeyDown = linkedKeys({ input: find, enlarge, leave: () => choose(null) });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the texts within
    <div class="jxv-frame jxv-all" onKeyDown={onKeyDown}>
      <Bar {...{ program, stage: null, partial, tabs }} tools={null}>
        {searched && <FindIn key={searched.kind} {...{ linking, stage: searched, input: find }} />}
      </Bar>
      {list}
      {wide && present.length < STAGE_KINDS.length && <Missing stages={stages} />}
      <div class="jxv-columns" role="tabpanel" aria-label={__('Source and stages')}>
        <SourceColumn {...{ linking, point }} hovered={pointedLinks?.lines ?? NO_LINES} />
        {shown.map((kind) => (
          <Column
            key={kind}
            {...{ kind, linking, stages, point }}
            pointed={idsOf(kind, pointed, pointedLinks?.stages.get(kind))}
            chooser={wide ? null : <Chooser only={only} show={show} />}
          />
        ))}
      </div>
      <div class="jxv-hidden" role="status">
        {announcement(linking)}
      </div>
    </div>
  );
}

const stageIn = ({ stages }: Program, kind: string): Stage | undefined =>
  stages.find((one) => one.kind === kind && one.error === null);

/** The missing stages, in one line. */
const Missing = ({ stages }: { stages: Stages }) => (
  <div class="jxv-waiting">
    <StagesToMake
      {...{ program: stages.program, from: 'jaxpr', later: stages }}
      make={(kind, wanted) => (wanted ? stages.ask(kind) : stages.stop(kind))}
    />
  </div>
);

interface FindProps {
  linking: Linking;
  stage: Stage;
  input: RefObject<HTMLInputElement>;
}

/** A search in one stage. The match is marked in all stages. */
function FindIn({ linking, stage, input }: FindProps) {
  const before = useMemo(() => start(stage), [stage]);
  const [state, dispatch] = useLinkedState(before, linking);
  return <Find {...{ state, dispatch, input }} />;
}

/** The pointed-at item in a column, and a function that changes it and reports it to the linking. */
function usePointed(linking: Linking): [Focus | null, (focus: Focus | null) => void] {
  const [pointed, point] = useState<Focus | null>(null);
  useEffect(() => linking.point(pointed), [pointed]);
  useEffect(() => () => linking.point(null), []);
  return [pointed, point];
}

interface SourceProps {
  linking: Linking;
  hovered: readonly LinePlace[];
  point: (focus: Focus | null) => void;
}

const SourceColumn = ({ linking, hovered, point }: SourceProps) => (
  <section class="jxv-column" aria-label={__('Source')}>
    <h3 class="jxv-column-head">
      {__('Source')}
      <span class="jxv-words">{linking.links ? linesText(linking.links.lines) : ''}</span>
    </h3>
    <Listing
      linking={linking}
      hovered={hovered}
      hover={(line) => point(line && { stage: 'source', line })}
    />
  </section>
);

/** The counterparts of the selection, for a screen reader. */
function announcement({ focus, links }: Linking): string {
  if (!focus || !links) return '';
  const lines = 'id' in focus ? [linesText(links.lines)] : [];
  const counterparts = [...links.stages].map(
    ([kind, found]) => `${STAGE_NAMES.get(kind)}: ${counterpartsText(found, kind)}`,
  );
  return [...lines, ...counterparts].filter((part) => part !== '').join('; ');
}

const linksOf = (pointed: PointedLine | null): Linked | null =>
  pointed && 'links' in pointed ? pointed.links : null;

const NO_LINES: readonly LinePlace[] = [];
const NO_IDS: readonly Id[] = [];

/** The items of a stage that are marked as pointed at. */
function idsOf(kind: string, pointed: Focus | null, links: Links | undefined): readonly Id[] {
  if (pointed && 'id' in pointed && pointed.stage === kind) return [pointed.id];
  return links?.found.map(({ id }) => id) ?? NO_IDS;
}

interface ColumnProps {
  kind: string;
  linking: Linking;
  stages: Stages;
  pointed: readonly Id[];
  point: (focus: Focus | null) => void;
  chooser: ComponentChildren;
}

/** One stage: its head and its text. */
function Column({ kind, linking, stages, pointed, point, chooser }: ColumnProps) {
  const { program, focus, links, choose } = linking;
  const here = stageIn(program, kind) ?? null;
  const own = focus && 'id' in focus && focus.stage === kind ? focus.id : null;
  const found = links?.stages.get(kind);
  const tints = tintsOf(program);
  const options = useMemo(() => optionsOf(here, tints), [here, tints]);
  return (
    <section class="jxv-column" aria-label={STAGE_NAMES.get(kind) ?? kind}>
      <h3
        class="jxv-column-head"
        title={here?.notes.map((note) => sentenceText(note)).join('\n') ?? ''}
      >
        {chooser ?? STAGE_NAMES.get(kind)}
        {here && (
          <span class="jxv-words">
            {!focus ? (
              sizeOf(here)
            ) : own === null ? (
              counterpartsText(found, kind)
            ) : (
              <b>{nameOf(here, own)}</b>
            )}
          </span>
        )}
      </h3>
      {here ? (
        <Text
          key={kind}
          stage={here}
          selected={own}
          hovered={pointed}
          lit={found?.found ?? NO_FOUND}
          options={options}
          select={(id) => choose(id === null ? null : { stage: kind, id })}
          hover={(id) => point(id === null ? null : { stage: kind, id })}
        />
      ) : (
        <StageToMake kind={kind} stages={stages} />
      )}
    </section>
  );
}

/** The options of a stage's text: bars before its lines have the colours of their source lines. */
const optionsOf = (stage: Stage | null, tints: Tints | null): TextOptions => ({
  wrap: true,
  heat: null,
  tints:
    stage && tints
      ? (graph, eqn) => tints.ofEqn(stage, (numbersOf(stage).starts[graph] ?? 0) + eqn)
      : null,
});

const NO_FOUND: Links['found'] = [];

/** The counterparts of the selection in a stage, as their number. */
function counterpartsText(links: Links | undefined, kind: string): string {
  if (!links) return '';
  if (links.status !== 'here') return WHY_NO_LINKS.get(links.status)?.() ?? '';
  const present = links.found.filter(({ holds }) => !holds);
  const all = eqnsText({ kind }, present.length);
  return isGuess(present) ? __('probably %1', all) : all;
}

const sizeOf = (stage: Stage): string => eqnsText(stage, allEqns(stage));

/** The choice of the stage beside the source if there is room for only one. */
function Chooser({ only, show }: { only: string; show: (kind: string) => void }) {
  return (
    <span class="jxv-chooser">
      {STAGE_KINDS.map((kind) => (
        <button
          type="button"
          key={kind}
          class="jxv-button"
          aria-pressed={kind === only}
          onClick={() => show(kind)}
        >
          {STAGE_NAMES.get(kind)}
        </button>
      ))}
    </span>
  );
}

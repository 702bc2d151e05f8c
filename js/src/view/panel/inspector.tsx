import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Differences, differencesOf } from '../../model/compared/differences';
import { detailsOf } from '../../model/details';
import { eqnAt } from '../../model/graph';
import type { Id } from '../../model/ids';
import { linesText, STAGE_NAMES } from '../../model/linked/fate';
import { type Focus, linked } from '../../model/linked/linked';
import { aboutParams } from '../../model/panel/params';
import {
  type Chosen,
  inspected,
  type Selecting,
  type Selection,
} from '../../model/panel/selection';
import type { Stage } from '../../schema';
import { Facts } from '../details';
import { Fates } from '../linked/fates';
import { Middle } from '../log/middle';
import { SourceLine, Stack } from '../source';
import { Empty } from './empty';

/** All of what is selected in the notebook's outputs or in the panel, else of what is pointed at. */
export function Inspector({ selecting }: { selecting: Selecting }) {
  const selection = useSelection(selecting);
  const chosen = inspected(selection);
  if (!chosen) {
    return (
      <Empty>
        <p>Select a box or a line in a program: all that is known of it is shown here.</p>
      </Empty>
    );
  }
  const { program, focus } = chosen;
  return (
    <div
      class="jxv-inspector"
      role="tabpanel"
      aria-label={`Details of ${program.name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also where no link is in it
      tabIndex={0}
    >
      <header class="jxv-panel-line">
        <span class="jxv-words">{STAGE_NAMES.get(focus.stage) ?? 'source'} of</span>
        <Middle text={program.name} />
        {selection.selected === null && <span class="jxv-words">(pointed at)</span>}
      </header>
      <Told chosen={chosen} select={(focus) => selecting.select(focus)} />
    </div>
  );
}

function useSelection(selecting: Selecting): Selection {
  const [selection, setSelection] = useState(() => selecting.now());
  useEffect(() => {
    const ending = new AbortController();
    const changed = () => setSelection(selecting.now());
    selecting.follow(changed, ending.signal);
    changed();
    return () => ending.abort();
  }, [selecting]);
  return selection;
}

interface ToldProps {
  chosen: Chosen;
  select: (focus: Focus) => void;
}

function Told({ chosen: { program, later, focus }, select }: ToldProps) {
  const links = useMemo(() => linked(program.stages, focus), [program.stages, focus]);
  const differences = useMemo(() => differencesOf(program), [program]);
  const go = (stage: string, id: Id) => select({ stage, id });
  const fates = (
    <>
      {later && program.stages.length === 1 && <NotMade />}
      <Fates linking={{ program, focus, links, go }} />
    </>
  );
  if ('line' in focus) {
    return (
      <>
        <p class="jxv-title">{linesText([focus.line])}</p>
        <dl class="jxv-facts">{fates}</dl>
      </>
    );
  }
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return stage ? <Item {...{ stage, id: focus.id, differences, fates, go }} /> : null;
}

const NotMade = () => (
  <div class="jxv-fact">
    <dt>became</dt>
    <dd class="jxv-words">told once its view has made StableHLO or HLO</dd>
  </div>
);

interface ItemProps {
  stage: Stage;
  id: Id;
  differences: Differences | null;
  fates: ComponentChildren;
  go: (stage: string, id: Id) => void;
}

function Item({ stage, id, differences, fates, go }: ItemProps) {
  const said = useMemo(() => detailsOf(stage, id, differences), [stage, id, differences]);
  const about = useMemo(() => aboutOf(stage, id), [stage, id]);
  if (!said) return null;
  const { title, facts, source } = said;
  return (
    <>
      <p class="jxv-title">{title}</p>
      {source && (
        <p class="jxv-inspector-source">
          <SourceLine source={source} />
        </p>
      )}
      <Facts facts={facts} about={about} go={(id) => go(stage.kind, id)}>
        {fates}
      </Facts>
      {source && source.stack.length > 1 && <Stack stack={source.stack} />}
    </>
  );
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function aboutOf(stage: Stage, id: Id): ReadonlyMap<string, string> {
  const place = stage.kind === 'jaxpr' ? eqnAt(stage, id) : null;
  return place ? aboutParams(place.eqn) : NOTHING;
}

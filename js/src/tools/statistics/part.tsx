/** What the values of the selection are like, which the reader may ask for below its facts. */
import { useMemo } from 'preact/hooks';
import { eqnsMeant } from '../../facts/linked/linked';
import { idOf } from '../../facts/linked/origins';
import { magnitudeText } from '../../facts/reports';
import { placeOf } from '../../facts/text/describe';
import { __, _n, thousands } from '../../language';
import type { LineValues } from '../../schema';
import { useFold } from '../../shell/parts/data-table';
import { JobProgress } from '../../stage/later-stages';
import type { Linking } from '../../stage/linked/linking';
import type { ShownParts } from './requests';
import { Spread } from './spread';

interface Props {
  linking: Linking;
  parts: ShownParts;
}

/** The distributions of the selection, how far the kernel is with them, or a button that asks for them. */
export function PartOfValues({ linking: { program, focus, jaxpr, go }, parts }: Props) {
  const eqns = useMemo(
    () => (focus ? [...new Set(eqnsMeant(program.stages, focus))] : []),
    [program.stages, focus],
  );
  if (eqns.length === 0 || !jaxpr) return null;
  const results = parts.of(eqns);
  if (results) {
    const select = (eqn: number) => {
      const id = idOf(jaxpr, eqn, [], true);
      if (id !== null) go('jaxpr', id);
    };
    return <Results key={eqns.join()} {...{ results, select }} />;
  }
  const now = parts.request(eqns);
  if (now && 'doing' in now) {
    return (
      <div class="jxv-part">
        <JobProgress {...now} stop={parts.stop} />
      </div>
    );
  }
  return (
    <div class="jxv-part">
      {now && <p class="jxv-reason">{now.failure}</p>}
      <button type="button" class="jxv-button" onClick={() => parts.ask(eqns)}>
        {now ? __('Try again') : __('Distribution of its values')}
      </button>{' '}
      <span class="jxv-words">{__('runs the program once more')}</span>
    </div>
  );
}

/** How many results are shown at first. */
const FIRST = 8;

interface ResultsProps {
  results: readonly LineValues[];
  select: (eqn: number) => void;
}

function Results({ results, select }: ResultsProps) {
  const { shown, button } = useFold(results, FIRST, (count) =>
    _n('%1 more result', '%1 more results', count),
  );
  if (results.length === 0) return <p class="jxv-words">{__('None of it ran.')}</p>;
  return (
    <section class="jxv-part" aria-label={__('Distribution of its values')}>
      {shown.map((one, at) => (
        <Result key={at} of={one} select={() => select(one.eqn)} />
      ))}
      {button}
    </section>
  );
}

function Result({ of, select }: { of: LineValues; select: () => void }) {
  const { op, type, nan, inf, frame, largest, distribution } = of;
  const flaws = [nan > 0 && `${thousands(nan)} NaN`, inf > 0 && `${thousands(inf)} inf`].filter(
    Boolean,
  );
  return (
    <div class="jxv-part-result">
      <p>
        <button type="button" class="jxv-link" onClick={select}>
          {op}
        </button>{' '}
        <code>{type}</code>{' '}
        {flaws.length > 0 && <b class="jxv-line-table-flaw">{flaws.join(', ')} </b>}
        {largest !== null && (
          <span class="jxv-words">{__('largest finite %1', magnitudeText(largest))} </span>
        )}
        {frame && <span class="jxv-words">· {placeOf(frame)}</span>}
      </p>
      {distribution && <Spread of={distribution} />}
    </div>
  );
}

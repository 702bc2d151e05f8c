/** Where the time of a profiled cell went: its parts, and the programs that ran. */
import { percentText, timeText } from '../../facts/describe';
import { __, _n } from '../../language';
import type { RanProgram, CellTimes as Record } from '../../schema';
import { aroundText, callsText, measuredText, partsOf } from '../../words/log/profile-words';
import { type Column, DataTable } from '../data-table';
import { ShortenedName } from './change-text';

interface Props {
  profile: Record;
  /** Opens a program with what its lines took; null where no kernel can be asked. */
  measure: ((number: number) => void) | null;
}

/** How many programs are listed. */
const LISTED = 8;

export function CellTimes({ profile, measure }: Props) {
  const { programs, seconds } = profile;
  const more = programs.length - LISTED;
  return (
    <section class="jxv-cell-times" aria-label={__('Where the time went')}>
      <p class="jxv-words" title={aroundText(profile)}>
        {measuredText(profile)}
      </p>
      <Parts profile={profile} />
      {programs.length > 0 && (
        <DataTable columns={columnsOf(seconds, measure)} rows={programs.slice(0, LISTED)} />
      )}
      {more > 0 && <p class="jxv-words">{_n('%1 more program', '%1 more programs', more)}</p>}
    </section>
  );
}

/** The parts as a bar, and each in words. */
function Parts({ profile }: { profile: Record }) {
  const parts = partsOf(profile).filter(({ seconds }) => seconds > 0);
  return (
    <>
      <div class="jxv-cell-bar" aria-hidden="true">
        {parts.map(({ name, seconds }) => (
          <i
            key={name}
            class={`jxv-cell-${name}`}
            style={`flex-grow:${(100 * seconds) / profile.seconds}`}
          />
        ))}
      </div>
      <ul class="jxv-cell-parts">
        {parts.map(({ name, label, seconds }) => (
          <li key={name}>
            <i class={`jxv-cell-${name}`} aria-hidden="true" /> <b>{timeText(seconds)}</b> {label}
          </li>
        ))}
      </ul>
    </>
  );
}

/** How long a program ran, how often, and a way to its lines. `whole` is the time of all programs. */
const columnsOf = (whole: number, measure: Props['measure']): Column<RanProgram>[] => [
  { number: true, cell: ({ seconds }) => timeText(seconds) },
  { number: true, cell: ({ seconds }) => percentText(Math.min(1, seconds / whole)) },
  { isHead: true, cell: ({ name }) => <ShortenedName text={name} /> },
  {
    look: 'jxv-cell-wide',
    cell: (program) => (
      <>
        {callsText(program)}{' '}
        <span class="jxv-words">{spreadText(program.best, program.median)}</span>
      </>
    ),
  },
  {
    cell: ({ number, known }) =>
      measure && (
        <button
          type="button"
          class="jxv-link"
          disabled={!known}
          title={
            known
              ? __('Compile it once more with numbered operations, and show the time of each line')
              : __('It was called only once, so its lines are unknown: run the cell again')
          }
          onClick={() => measure(number)}
        >
          {__('Time of each line')}
        </button>
      ),
  },
];

const spreadText = (best: number, median: number): string =>
  __('best %1, median %2', timeText(best), timeText(median));

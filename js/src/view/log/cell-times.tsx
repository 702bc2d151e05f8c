/** Where the time of a profiled cell went: its parts, and the programs that ran. */
import { percentText, timeText } from '../../facts/describe';
import { __, _n } from '../../language';
import type { RanProgram, CellTimes as Record } from '../../schema';
import { aroundText, callsText, measuredText, partsOf } from '../../words/log/profile-words';
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
        <table>
          <tbody>
            {programs.slice(0, LISTED).map((program) => (
              <Program key={program.number} {...{ program, seconds, measure }} />
            ))}
          </tbody>
        </table>
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

interface ProgramProps extends Pick<Props, 'measure'> {
  program: RanProgram;
  /** Of all of the profile. */
  seconds: number;
}

/** A program that ran: how long, how often, and a way to its lines. */
function Program({ program, seconds: whole, measure }: ProgramProps) {
  const { number, name, seconds, best, median, known } = program;
  const why = known
    ? __('Compile it once more with numbered operations, and show the time of each line')
    : __('It was called only once, so its lines are unknown: run the cell again');
  return (
    <tr>
      <td class="jxv-right">{timeText(seconds)}</td>
      <td class="jxv-right">{percentText(Math.min(1, seconds / whole))}</td>
      <th scope="row">
        <ShortenedName text={name} />
      </th>
      <td class="jxv-cell-wide">
        {callsText(program)} <span class="jxv-words">{spreadText(best, median)}</span>
      </td>
      <td>
        {measure && (
          <button
            type="button"
            class="jxv-link"
            disabled={!known}
            title={why}
            onClick={() => measure(number)}
          >
            {__('Time of each line')}
          </button>
        )}
      </td>
    </tr>
  );
}

const spreadText = (best: number, median: number): string =>
  __('best %1, median %2', timeText(best), timeText(median));

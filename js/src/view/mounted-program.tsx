/** A program as the host shows it: waiting for it, then its view, or why it cannot be shown. Logs wait
 * in the same way. */
import { useMemo } from 'preact/hooks';
import { selectedFirst } from '../facts/selected-first';
import { __ } from '../language';
import type { Births, Card, Job, Opening, Program, Steps, Timed, Times, Values } from '../schema';
import type { Kernel } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { LoadingOrFailure, useArrival } from './arrival';
import { later } from './later';
import { type ProgramProps, ProgramView } from './program-view';
import type { Earlier } from './since-last-run';
import { type Stepped, StepThrough } from './step-through';
import type { Tries } from './try-mend';
import { Root } from './view-root';

const CardView = later(async () => (await import('./card')).CardView);
const SteppedProgram = later(async () => (await import('./trace-steps')).SteppedProgram);
const ProgramWithValues = later(async () => (await import('./values')).ProgramWithValues);
const TimedCalls = later(async () => (await import('./timed/timed-calls')).TimedCalls);
const ProgramsOfJob = later(async () => (await import('./job')).ProgramsOfJob);
const SinceLastRun = later(async () => (await import('./since-last-run')).SinceLastRun);
const ProgramWithBirths = later(async () => (await import('./births')).ProgramWithBirths);
const ProgramWithTimes = later(async () => (await import('./times')).ProgramWithTimes);

/** What a host hands to `mount`: the program, which may still be on its way, and how to show it. */
export interface ProgramSource {
  program: Promise<Program>;
  /** What was left out of a program that was too large to save, in one sentence. */
  partial: string | null;
  /** How the program's author wants it to open. */
  opening: Opening;
  /** Makes later stages when they are asked for; null where there is no kernel. */
  kernel: Kernel | null;
  preferring?: PreferenceSource;
  /** What the cell showed when it ran before; null where that is not known. */
  earlier?: Earlier | null;
  /** The error of which this is the program so far. */
  card?: Card | null;
  /** Tries the mends of that card; null where there is no kernel for it. */
  tries?: Tries | null;
  /** Traces it once more, line by line; null where the kernel does not know how. */
  stepping?: (() => Promise<Stepped>) | null;
  /** How its trace went, line by line. */
  steps?: Steps | null;
  /** What its values were like in a run, line by line. */
  values?: Values | null;
  /** Where the NaN and the infinity of a run were born. */
  births?: Births | null;
  /** What its runs took, line by line. */
  times?: Times | null;
  /** What the call took, and others beside it. */
  timed?: Timed | null;
  /** The programs of a job, of which it is one. */
  job?: Job | null;
  /** Whether these are of engines of ipyparallel, which have numbers of their own. */
  engines?: boolean;
}

/** A program's view. Until the program is here, one line that says so, or why it cannot be shown. */
export function Mounted({ source }: { source: ProgramSource }) {
  const arrival = useArrival(source.program, 'program');
  if (arrival === null || 'failure' in arrival) {
    return (
      <Root label={__('JAX program')}>
        <LoadingOrFailure arrival={arrival} what="program" />
      </Root>
    );
  }
  const program = arrival.value;
  const { card, steps, values, births, times, job, timed, stepping = null } = source;
  const shown = { ...source, program, later: program.compared === null };
  if (card) return <Failed {...shown} card={card} />;
  if (steps && steps.steps.length > 0) return <SteppedProgram {...shown} steps={steps} />;
  if (values) return <ProgramWithValues {...shown} values={values} />;
  if (births) return <ProgramWithBirths {...shown} births={births} />;
  if (times) return <ProgramWithTimes {...shown} times={times} />;
  if (job) return <ProgramsOfJob {...shown} job={job} />;
  if (timed) return <TimedCalls {...shown} timed={timed} />;
  return (
    <StepThrough stepping={stepping} player={(found) => <SteppedAgain {...shown} found={found} />}>
      <Alone {...shown} />
    </StepThrough>
  );
}

/** A program by itself, below what is known of its cell's run before. */
const Alone = (props: ProgramProps & Pick<ProgramSource, 'earlier'>) =>
  props.earlier?.told ? (
    <SinceLastRun {...props} />
  ) : (
    <ProgramView key={props.program} {...props} />
  );

/** The player of a trace that was asked for. What is seen beside it is the program as it was shown,
 * with all its stages, where the trace made the same once more. */
function SteppedAgain({ found, ...props }: ProgramProps & { found: Stepped }) {
  const text = ({ stages }: Program) => stages[0]?.text ?? '';
  const isSame = text(props.program) !== '' && text(props.program) === text(found.program);
  if (isSame) return <SteppedProgram {...props} steps={found.steps} />;
  return <SteppedProgram {...props} {...found} kernel={null} later={false} />;
}

interface FailedProps extends Omit<ProgramProps, 'later'> {
  card: Card;
  tries?: Tries | null;
}

/** An error's card, with the program so far where JAX had recorded any of it. */
function Failed({ card, tries = null, program, ...source }: FailedProps) {
  const { name, stages } = program;
  const known = stages[0]?.graphs[0];
  const selected = useMemo(() => selectedFirst(card.largest, stages[0]), [card, stages]);
  return (
    <CardView
      card={card}
      tries={tries}
      show={({ program, card, births }) => {
        const made = { ...source, program, partial: null, later: false };
        if (card) return <Failed {...source} program={program} card={card} />;
        return births ? <ProgramWithBirths {...made} births={births} /> : <ProgramView {...made} />;
      }}
    >
      {known && known.eqns.length > 0 && (
        <ProgramView
          {...source}
          program={
            card.largest ? program : { ...program, name: __('%1, as far as recorded', name) }
          }
          later={false}
          selected={selected}
        />
      )}
    </CardView>
  );
}

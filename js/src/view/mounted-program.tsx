/** A program as the host shows it: waiting for it, then its view, or why it cannot be shown. Logs wait
 * in the same way. */
import { useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { eqnId, ROOT } from '../facts/ids';
import type { Focus } from '../facts/linked/linked';
import { __ } from '../language';
import type { Card, Opening, Program, Graph as SchemaGraph, Steps, Times, Values } from '../schema';
import type { Kernel } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { later } from './later';
import { type ProgramProps, ProgramView } from './program-view';
import { type Earlier, SinceLastRun } from './since-last-run';
import type { Tries } from './try-mend';
import { Root } from './view-root';

const CardView = later(async () => (await import('./card')).CardView);
const SteppedProgram = later(async () => (await import('./trace-steps')).SteppedProgram);
const ProgramWithValues = later(async () => (await import('./values')).ProgramWithValues);
const ProgramWithTimes = later(async () => (await import('./times')).ProgramWithTimes);

/** What an output shows. It is named in the sentences that say why it cannot be shown. */
export type Content = 'program' | 'log';

/** Data that was asked for: null while it is on its way, then its value or why there is none. */
export type Arrival<T> = { value: T } | { failure: string } | null;

/** The value of a promise, or one sentence that says why there is none; also if drawing the
 * value fails. A newer promise replaces an older one when it is settled, however many are on
 * their way. */
export function useArrival<T>(promise: Promise<T>, what: Content): Arrival<T> {
  const [arrival, setArrival] = useState<Arrival<T>>(null);
  const asked = useRef(0);
  const settled = useRef(0);
  useLayoutEffect(() => {
    asked.current += 1;
    const own = asked.current;
    const settle = (arrived: Arrival<T>) => {
      if (own <= settled.current) return;
      settled.current = own;
      setArrival(arrived);
    };
    promise.then(
      (value) => settle({ value }),
      (reason) => settle({ failure: cannotShow(reason, what) }),
    );
  }, [promise]);
  useLayoutEffect(
    () => () => {
      settled.current = Number.POSITIVE_INFINITY;
    },
    [],
  );
  // biome-ignore lint/suspicious/noConsole: what breaks the view is not hidden from who mends it
  const [broken] = useErrorBoundary((error) => console.error(error));
  return broken === undefined ? arrival : { failure: cannotShow(broken, what) };
}

/** One line in place of a view: that its data is on its way, or why it cannot be shown. */
export function LoadingOrFailure({
  arrival,
  what,
}: {
  arrival: { failure: string } | null;
  what: Content;
}) {
  return arrival === null ? (
    <div class="jxv-alone" role="status">
      {what === 'log' ? __('Reading the log…') : __('Reading the program…')}
    </div>
  ) : (
    <div class="jxv-alone jxv-failure" role="alert">
      {arrival.failure}
    </div>
  );
}

/** One sentence that says why a program or a log cannot be shown. */
export function cannotShow(reason: unknown, what: Content): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  const why = message.trim() || __('Its data could not be read.');
  return what === 'log'
    ? __('jaxviz cannot show this log. %1', why)
    : __('jaxviz cannot show this program. %1', why);
}

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
  /** How its trace went, line by line. */
  steps?: Steps | null;
  /** What its values were like in a run, line by line. */
  values?: Values | null;
  /** What its runs took, line by line. */
  times?: Times | null;
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
  if (source.card) return <Failed {...source} program={program} card={source.card} />;
  const later = program.compared === null;
  if (source.steps && source.steps.steps.length > 0) {
    return <SteppedProgram {...source} program={program} later={later} steps={source.steps} />;
  }
  if (source.values) {
    return <ProgramWithValues {...source} program={program} later={later} values={source.values} />;
  }
  if (source.times) {
    return <ProgramWithTimes {...source} program={program} later={later} times={source.times} />;
  }
  return <SinceLastRun {...source} program={program} later={later} />;
}

interface FailedProps extends Omit<ProgramProps, 'later'> {
  card: Card;
  tries?: Tries | null;
}

/** The last step of what was recorded: what made the value that was asked for, or the last eqn. */
function lastStep({ eqns, outvars }: SchemaGraph): Focus | null {
  const made = eqns.findIndex((eqn) => eqn.outvars.includes(outvars[0] ?? -1));
  const last = made < 0 ? eqns.length - 1 : made;
  return last < 0 ? null : { stage: 'jaxpr', id: eqnId(ROOT, last) };
}

/** An error's card, with the program so far where JAX had recorded any of it. */
function Failed({ card, tries = null, program, ...source }: FailedProps) {
  const known = program.stages[0]?.graphs[0];
  const seen = known !== undefined && known.eqns.length > 0;
  const last = useMemo(() => known && lastStep(known), [known]);
  return (
    <CardView
      card={card}
      tries={tries}
      show={(found) =>
        found.card ? (
          <Failed {...source} program={found.program} card={found.card} />
        ) : (
          <ProgramView {...source} program={found.program} partial={null} later={false} />
        )
      }
    >
      {seen && (
        <ProgramView
          {...source}
          program={{ ...program, name: __('%1, as far as recorded', program.name) }}
          later={false}
          selected={last ?? null}
        />
      )}
    </CardView>
  );
}

/** The changes since the cell's last run: one line above its program, which leads to the comparison
 * and back. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { differencesOf } from '../facts/differences';
import { __ } from '../language';
import type { Program } from '../schema';
import { summaryOf } from '../words/difference-words';
import { type ProgramProps, ProgramView } from './program-view';

/** The kernel's data on the cell's run before this one. */
export interface Earlier {
  /** `changed`; `same` if only the code changed; or empty. */
  change: string;
  /** Requests both programs as one. */
  compared: () => Promise<Program>;
}

interface Props extends Omit<ProgramProps, 'above'> {
  earlier?: Earlier | null;
}

/** The comparison; null until it is loaded. */
type Comparison = { program: Program } | { failure: string } | null;

/** The most eqns of a program whose changes are counted before the reader asks: a comparison takes a share of the
 * time of the capture. */
const MOST_COUNTED = 400;

/** A program, or its comparison with what its cell showed before. */
export function SinceLastRun({ earlier, ...props }: Props) {
  const { program } = props;
  const changed = earlier?.change === 'changed';
  const counted = changed && eqnsOf(program) <= MOST_COUNTED;
  const [comparison, ask] = useComparison(earlier ?? null, counted);
  const [shown, show] = useState(false);
  const comparisonProgram = comparison && 'program' in comparison ? comparison.program : null;
  const toggle = () => {
    if (!comparisonProgram) ask();
    show(!comparisonProgram || !shown);
  };
  const isOpen = shown && comparisonProgram !== null;
  const line = changed ? <Line {...{ comparison, isOpen, shown, toggle }} /> : null;
  const above = earlier?.change === 'same' ? <Same /> : line;
  return isOpen ? (
    <ProgramView
      key={comparisonProgram}
      {...props}
      program={comparisonProgram}
      partial={null}
      later={false}
      above={above}
    />
  ) : (
    <ProgramView key={program} {...props} above={above} />
  );
}

const eqnsOf = ({ stages }: Program): number =>
  stages[0]?.graphs.reduce((sum, { eqns }) => sum + eqns.length, 0) ?? 0;

/** The comparison, and a function that requests it. With `now` it is requested at once; then a
 * failure is not shown. */
function useComparison(earlier: Earlier | null, now: boolean): [Comparison, () => void] {
  const [comparisonProgram, find] = useState<Comparison>(null);
  const isGone = useRef(false);
  const ask = (failed: (reason: unknown) => void) => {
    const settle = (to: Comparison) => isGone.current || find(to);
    earlier?.compared().then((program) => settle({ program }), failed);
  };
  useEffect(() => {
    if (now) ask(() => undefined);
    return () => {
      isGone.current = true;
    };
  }, []);
  const failed = (reason: unknown) => {
    const failure = reason instanceof Error ? reason.message : String(reason);
    if (!isGone.current) find({ failure: failure });
  };
  return [comparisonProgram, () => ask(failed)];
}

interface LineProps {
  comparison: Comparison;
  isOpen: boolean;
  /** True if the reader requested the comparison, which may be loading. */
  shown: boolean;
  toggle: () => void;
}

function Line({ comparison, isOpen, shown, toggle }: LineProps) {
  return (
    <p class="jxv-since">
      <span role="status">{lineText(comparison, isOpen, shown)}</span>
      {!isSame(comparison) && (
        <button type="button" class="jxv-link" aria-pressed={isOpen} onClick={toggle}>
          {isOpen ? __('back to the program') : __('show')}
        </button>
      )}
    </p>
  );
}

/** The line. Above the comparison, which counts the changes itself, it is only a title. */
function lineText(comparison: Comparison, isOpen: boolean, asked: boolean): string {
  if (isOpen) return __('What changed since the last run');
  if (comparison) return summaryText(comparison);
  return asked ? __('Comparing with the last run…') : __('Changed since the last run');
}

const Same = () => <p class="jxv-since">{same()}</p>;

const same = (): string => __('The same program as in the last run');

function isSame(comparison: Comparison): boolean {
  if (!comparison || 'failure' in comparison) return false;
  return differencesOf(comparison.program)?.same === true;
}

/** `3 added, 1 removed since the last run`. */
function summaryText(comparison: NonNullable<Comparison>): string {
  if ('failure' in comparison) return comparison.failure;
  const differences = differencesOf(comparison.program);
  const [stage] = comparison.program.stages;
  if (!differences || !stage || differences.same) return same();
  const parts = summaryOf(differences, stage).map(({ text }) => text);
  return __('%1 since the last run', parts.join(', '));
}

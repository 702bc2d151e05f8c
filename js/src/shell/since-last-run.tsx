/** What changed since the cell ran before: one quiet line above its program, which leads to the
 * comparison and back. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { differencesOf } from '../facts/differences';
import { __ } from '../language';
import type { Program } from '../schema';
import { told } from '../words/difference-words';
import { type ProgramProps, ProgramView } from './program-view';

/** What the kernel knows of the cell's run before this one. */
export interface Earlier {
  /** `changed`, `same` although the code changed, or empty. */
  told: string;
  /** Asks for both programs as one. */
  compared: () => Promise<Program>;
}

interface Props extends Omit<ProgramProps, 'above'> {
  earlier?: Earlier | null;
}

/** The comparison as far as it is known. */
type Comparison = { program: Program } | { failure: string } | null;

/** Of a program with more eqns the changes are counted only when they are asked for: comparing
 * takes the kernel a part of the time that capturing took. */
const MOST_COUNTED = 400;

/** A program, or how it differs from what its cell showed before. */
export function SinceLastRun({ earlier, ...props }: Props) {
  const { program } = props;
  const changed = earlier?.told === 'changed';
  const counted = changed && eqnsOf(program) <= MOST_COUNTED;
  const [comparison, ask] = useComparison(earlier ?? null, counted);
  const [shown, show] = useState(false);
  const found = comparison && 'program' in comparison ? comparison.program : null;
  const toggle = () => {
    if (!found) ask();
    show(!found || !shown);
  };
  const isOpen = shown && found !== null;
  const line = changed ? <Line {...{ comparison, isOpen, shown, toggle }} /> : null;
  const above = earlier?.told === 'same' ? <Same /> : line;
  return isOpen ? (
    <ProgramView
      key={found}
      {...props}
      program={found}
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

/** The comparison, and a function that asks the kernel for it. With `now` it is asked for at
 * once; then nothing is said where that fails. */
function useComparison(earlier: Earlier | null, now: boolean): [Comparison, () => void] {
  const [found, find] = useState<Comparison>(null);
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
  return [found, () => ask(failed)];
}

interface LineProps {
  comparison: Comparison;
  isOpen: boolean;
  /** Whether the reader asked for the comparison, which may be on its way. */
  shown: boolean;
  toggle: () => void;
}

function Line({ comparison, isOpen, shown, toggle }: LineProps) {
  return (
    <p class="jxv-since">
      <span role="status">{saying(comparison, isOpen, shown)}</span>
      {!isSame(comparison) && (
        <button type="button" class="jxv-link" aria-pressed={isOpen} onClick={toggle}>
          {isOpen ? __('back to the program') : __('show')}
        </button>
      )}
    </p>
  );
}

/** The line. Above the comparison, whose own line counts what changed, it says only what it is. */
function saying(comparison: Comparison, isOpen: boolean, asked: boolean): string {
  if (isOpen) return __('What changed since the last run');
  if (comparison) return sentence(comparison);
  return asked ? __('Comparing with the last run…') : __('Changed since the last run');
}

const Same = () => <p class="jxv-since">{same()}</p>;

const same = (): string => __('The same program as in the last run');

function isSame(comparison: Comparison): boolean {
  if (!comparison || 'failure' in comparison) return false;
  return differencesOf(comparison.program)?.same === true;
}

/** `3 added, 1 removed since the last run`. */
function sentence(comparison: NonNullable<Comparison>): string {
  if ('failure' in comparison) return comparison.failure;
  const differences = differencesOf(comparison.program);
  const [stage] = comparison.program.stages;
  if (!differences || !stage || differences.same) return same();
  const parts = told(differences, stage).map(({ text }) => text);
  return __('%1 since the last run', parts.join(', '));
}

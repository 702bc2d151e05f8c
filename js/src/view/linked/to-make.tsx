import { __ } from '../../language';
import type { Program } from '../../schema';
import type { Later } from '../../state/panel/notebook-selection';
import { STAGE_NAMES } from '../../words/fate';
import { phrase } from '../phrase';
import { KINDS } from '../stages';
import { callOf, Making, notSaved } from '../waiting';

interface Props {
  program: Program;
  /** The stage of what is selected. */
  from: string;
  later: Later;
  make: (kind: string, wanted: boolean) => void;
}

/** Stages after one that are not here. */
export const missing = ({ stages }: Program, from: string): readonly string[] =>
  KINDS.slice(KINDS.indexOf(from) + 1).filter(
    (kind) => !stages.some((one) => one.kind === kind && one.error === null),
  );

/** Those stages: how each is made, or why not. */
export function ToMake({ program, from, later, make }: Props) {
  return (
    <>
      {missing(program, from).map((kind) => (
        <div class="jxv-to-make" key={kind}>
          <One {...{ program, kind, later, make }} />
        </div>
      ))}
    </>
  );
}

function One({ program, kind, later: { asked }, make }: Omit<Props, 'from'> & { kind: string }) {
  const now = asked?.get(kind);
  const name = STAGE_NAMES.get(kind) ?? kind;
  if (now && 'doing' in now) {
    return (
      <>
        <span class="jxv-words">{name}:</span> <Making {...now} stop={() => make(kind, false)} />
      </>
    );
  }
  const stage = program.stages.find((one) => one.kind === kind);
  const failure = now?.failure ?? stage?.error ?? '';
  return (
    <>
      {failure !== '' && (
        <p class="jxv-reason" role="alert">
          {name}: {failure}
        </p>
      )}
      {asked ? (
        <button type="button" class="jxv-button" onClick={() => make(kind, true)}>
          {failure === '' ? __('Make %1', name) : __('Make %1 again', name)}
        </button>
      ) : (
        failure === '' && (
          <p class="jxv-words">
            {name}: {phrase(notSaved, <code>{callOf(kind, program)}</code>)}
          </p>
        )
      )}
    </>
  );
}

/** The stages that a kernel makes on request, and their progress. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sentenceText } from '../facts/text/sentence-text';
import { __ } from '../language';
import type { Program } from '../schema';
import { phrase } from '../shell/parts/controls';
import type { Kernel, RequestState } from '../state/kernel-requests';
import type { Later } from '../state/panel/notebook-selection';
import { STAGE_NAMES } from '../words/counterparts';
import { isFinal } from '../words/kernel-text';

/** The stages that a program can have, in their order. */
export const STAGE_KINDS: readonly string[] = ['jaxpr', 'stablehlo', 'hlo'];

export interface Stages {
  /** The program with all stages so far. */
  program: Program;
  /** The state of each requested stage; null if no kernel can make any. */
  asked: ReadonlyMap<string, RequestState> | null;
  /** The prefix of a line for the program's place: `%px ` for engines of ipyparallel. */
  where: string;
  ask: (kind: string) => void;
  stop: (kind: string) => void;
}

/** A program with the stages that its kernel makes on request. */
export function useStages(saved: Program, kernel: Kernel | null, where = ''): Stages {
  const [made, setMade] = useState<readonly Program[]>([]);
  const [asked, setAsked] = useState<ReadonlyMap<string, RequestState>>(new Map());
  const running = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const { current } = running;
    return () => {
      for (const ending of current.values()) ending.abort();
    };
  }, []);
  const program = useMemo(() => withStages(saved, made), [saved, made]);
  const setRequest = (kind: string, now: RequestState | null) =>
    setAsked((before) => withState(before, kind, now));
  const ask = (kind: string) => {
    if (!kernel || running.current.has(kind)) return;
    const ending = new AbortController();
    running.current.set(kind, ending);
    setRequest(kind, { doing: __('asking the kernel'), seconds: 0 });
    const onProgress = (doing: string, seconds: number) => {
      if (!ending.signal.aborted) setRequest(kind, { doing, seconds });
    };
    kernel
      .stage(kind, onProgress, ending.signal)
      .then(
        (answer) => {
          setMade((before) => [...before, answer]);
          setRequest(kind, null);
        },
        (reason) =>
          setRequest(kind, {
            failure: ending.signal.aborted ? __('Stopped.') : failureText(reason),
          }),
      )
      .finally(() => running.current.delete(kind));
  };
  const stop = (kind: string) => running.current.get(kind)?.abort();
  return { program, asked: kernel && asked, where, ask, stop };
}

/** The states of requests after a change of one; null removes it. */
function withState(
  asked: ReadonlyMap<string, RequestState>,
  kind: string,
  now: RequestState | null,
): ReadonlyMap<string, RequestState> {
  const after = new Map(asked);
  if (now) after.set(kind, now);
  else after.delete(kind);
  return after;
}

/** A new stage replaces one that could not be made. It may bring more findings. */
function withStages(program: Program, answers: readonly Program[]): Program {
  const last = answers.at(-1);
  if (!last) return program;
  const made = new Map(
    [program, ...answers].flatMap(({ stages }) => stages).map((one) => [one.kind, one]),
  );
  const stages = STAGE_KINDS.flatMap((kind) => made.get(kind) ?? []);
  return { ...program, stages, findings: last.findings };
}

/** The reason of a failed request. */
export function failureText(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  return message.trim() || __('The kernel gave no reason why it has no such stage.');
}

interface WaitingProps {
  kind: string;
  stages: Stages;
}

/** Shown in place of a missing stage: a button that makes it, the kernel's progress, or the reason
 * of a failure. */
export function StageToMake({ kind, stages: { program, asked, where, ask, stop } }: WaitingProps) {
  const stage = program.stages.find((one) => one.kind === kind);
  const now = asked?.get(kind);
  if (now && 'doing' in now) {
    return (
      <div class="jxv-waiting">
        <JobProgress {...now} stop={() => stop(kind)} />
      </div>
    );
  }
  const failure = now?.failure ?? (stage?.error ? sentenceText(stage.error) : '');
  const isRefused = !now && stage?.error && isFinal(stage.error);
  return (
    <div class="jxv-waiting">
      {failure !== '' && <p class="jxv-reason">{failure}</p>}
      {asked && !isRefused ? (
        <button type="button" class="jxv-button" onClick={() => ask(kind)}>
          {failure === '' ? MAKE_LABELS.get(kind)?.() : __('Try again')}
        </button>
      ) : (
        failure === '' && (
          <p class="jxv-reason">{phrase(notSaved, <code>{callOf(kind, program, where)}</code>)}</p>
        )
      )}
    </div>
  );
}

interface MakingProps {
  doing: string;
  seconds: number;
  stop: () => void;
}

/** The progress of the kernel's work, with a button that stops it. The reader need not wait. */
export function JobProgress({ doing, seconds, stop }: MakingProps) {
  return (
    <>
      <p>
        <span role="status">{doing}</span> · <Seconds from={seconds} />
      </p>
      <button type="button" class="jxv-button" onClick={stop}>
        {__('Stop')}
      </button>
    </>
  );
}

const MAKE_LABELS = new Map([
  ['stablehlo', () => __('Make it (lowers the program)')],
  ['hlo', () => __('Make it (compiles the program)')],
]);

/** Says what to run for a stage that was not saved and that no kernel can make. */
export const notSaved = (call: string): string =>
  __('This stage was not saved. To see it, run %1', call);
export const callOf = (kind: string, { name }: Program, where = ''): string =>
  `${where}%jaxviz ${name}(…) --stage ${kind}`;

/** Whole seconds, counted on from the kernel's last report. */
function Seconds({ from }: { from: number }) {
  const [since, setSince] = useState(0);
  useEffect(() => {
    setSince(0);
    const timer = setInterval(() => setSince((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, [from]);
  return <span class="jxv-seconds">{Math.round(from + since)} s</span>;
}

interface ToMakeProps {
  program: Program;
  /** The stage of the selection. */
  from: string;
  later: Later;
  make: (kind: string, wanted: boolean) => void;
}

/** The stages after `from` that the program does not have yet. */
export const stagesAfter = ({ stages }: Program, from: string): readonly string[] =>
  STAGE_KINDS.slice(STAGE_KINDS.indexOf(from) + 1).filter(
    (kind) => !stages.some((one) => one.kind === kind && one.error === null),
  );

/** A button that makes each of those stages, or the reason of a failure. */
export function StagesToMake({ program, from, later, make }: ToMakeProps) {
  return (
    <>
      {stagesAfter(program, from).map((kind) => (
        <div class="jxv-to-make" key={kind}>
          <OneStageToMake {...{ program, kind, later, make }} />
        </div>
      ))}
    </>
  );
}

function OneStageToMake({
  program,
  kind,
  later: { asked },
  make,
}: Omit<ToMakeProps, 'from'> & { kind: string }) {
  const now = asked?.get(kind);
  const name = STAGE_NAMES.get(kind) ?? kind;
  if (now && 'doing' in now) {
    return (
      <>
        <span class="jxv-words">{name}:</span>{' '}
        <JobProgress {...now} stop={() => make(kind, false)} />
      </>
    );
  }
  const stage = program.stages.find((one) => one.kind === kind);
  const failure = now?.failure ?? (stage?.error ? sentenceText(stage.error) : '');
  const isRefused = !now && stage?.error && isFinal(stage.error);
  return (
    <>
      {failure !== '' && (
        <p class="jxv-reason" role="alert">
          {name}: {failure}
        </p>
      )}
      {asked && !isRefused ? (
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

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Program, Stage } from '../schema';
import type { Asked, Kernel } from '../state/kernel-requests';
import { fromKernel } from '../words/kernel-words';

/** The stages that a program can have, in their order. */
export const KINDS: readonly string[] = ['jaxpr', 'stablehlo', 'hlo'];

export interface Stages {
  /** The program with all stages that are here. */
  program: Program;
  /** Null where no kernel can make stages. */
  asked: ReadonlyMap<string, Asked> | null;
  ask: (kind: string) => void;
  stop: (kind: string) => void;
}

/** The stages of a program that its kernel makes when they are asked for. */
export function useStages(saved: Program, kernel: Kernel | null): Stages {
  const [made, setMade] = useState<readonly Stage[]>([]);
  const [asked, setAsked] = useState<ReadonlyMap<string, Asked>>(new Map());
  const running = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const { current } = running;
    return () => {
      for (const ending of current.values()) ending.abort();
    };
  }, []);
  const program = useMemo(() => withStages(saved, made), [saved, made]);
  const say = (kind: string, now: Asked | null) =>
    setAsked((before) => {
      const after = new Map(before);
      if (now) after.set(kind, now);
      else after.delete(kind);
      return after;
    });
  const ask = (kind: string) => {
    if (!kernel || running.current.has(kind)) return;
    const ending = new AbortController();
    running.current.set(kind, ending);
    say(kind, { doing: __('asking the kernel'), seconds: 0 });
    const told = (doing: string, seconds: number) => {
      if (!ending.signal.aborted) say(kind, { doing, seconds });
    };
    kernel
      .stage(kind, told, ending.signal)
      .then(
        ({ stages }) => {
          setMade((before) => [...before.filter((one) => one.kind !== kind), ...stages]);
          say(kind, null);
        },
        (reason) =>
          say(kind, { failure: ending.signal.aborted ? __('Stopped.') : sentence(reason) }),
      )
      .finally(() => running.current.delete(kind));
  };
  const stop = (kind: string) => running.current.get(kind)?.abort();
  return { program, asked: kernel && asked, ask, stop };
}

/** A stage that was made anew replaces one that could not be made. */
function withStages(program: Program, made: readonly Stage[]): Program {
  if (made.length === 0) return program;
  const kept = program.stages.filter(({ kind }) => made.every((one) => one.kind !== kind));
  const place = ({ kind }: Stage) => KINDS.indexOf(kind);
  const stages = [...kept, ...made].sort((one, other) => place(one) - place(other));
  return { ...program, stages };
}

function sentence(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  return fromKernel(message.trim()) || __('The kernel did not say why there is no such stage.');
}

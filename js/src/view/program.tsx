import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDark } from '../render/dark';
import { onThemeChange } from '../render/theme';
import type { Program, Stage } from '../schema';
import { Bar } from './bar';
import { useOwnKeys } from './own-keys';
import { StageView } from './stage';

interface Props {
  program: Program;
  partial: string | null;
}

/** A program: the stage that is shown. */
export function ProgramView({ program, partial }: Props) {
  const [kind, setKind] = useState(program.stages[0]?.kind);
  const stage = program.stages.find((one) => one.kind === kind);
  const element = useRef<HTMLElement>(null);
  useDark(element);
  useOwnKeys(element);
  const choose = (one: Stage) => setKind(one.kind);
  return (
    <section ref={element} class="jxv" aria-label={`JAX program ${program.name}`}>
      {stage && stage.error === null ? (
        <StageView key={stage.kind} {...{ program, stage, partial, choose }} />
      ) : (
        <div class="jxv-frame jxv-short">
          {stage && <Bar {...{ program, stage, partial, choose }} tools={null} />}
          <p class="jxv-alone jxv-failure">
            {stage?.error ?? 'This program holds no stage to show.'}
          </p>
        </div>
      )}
    </section>
  );
}

/** Keeps `data-dark` true to the page around the view; before the graph within reads its colours. */
function useDark(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const ending = new AbortController();
    const look = () => {
      const shown = element.current;
      if (shown) shown.toggleAttribute('data-dark', isDark(shown));
    };
    look();
    onThemeChange(look, ending.signal);
    return () => ending.abort();
  }, [element]);
}

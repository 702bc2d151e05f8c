import { useState } from 'preact/hooks';
import type { Program, Stage } from '../schema';
import { Bar } from './bar';
import { StageView } from './stage';

interface Props {
  program: Program;
  partial: string | null;
}

/** A program: the stage that is shown. Keys typed in it are not the notebook's shortcuts. */
export function ProgramView({ program, partial }: Props) {
  const [kind, setKind] = useState(program.stages[0]?.kind);
  const stage = program.stages.find((one) => one.kind === kind);
  const choose = (one: Stage) => setKind(one.kind);
  return (
    <section
      class="jxv"
      aria-label={`JAX program ${program.name}`}
      data-lm-suppress-shortcuts="true"
    >
      {stage && stage.error === null ? (
        <StageView key={stage.kind} {...{ program, stage, partial, choose }} />
      ) : (
        <div class="jxv-frame jxv-short">
          {stage && <Bar program={program} stage={stage} choose={choose} tools={null} />}
          <p class="jxv-alone jxv-failure">
            {stage?.error ?? 'This program holds no stage to show.'}
          </p>
        </div>
      )}
    </section>
  );
}

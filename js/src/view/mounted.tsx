/** A program as the host shows it: waiting for it, then its view, or why it never comes. */
import { __ } from '../language';
import type { Opening, Program } from '../schema';
import type { Kernel } from '../state/kernel-requests';
import type { Preferring } from '../state/preferences';
import { Alone, useArrival } from './arrival';
import { ProgramView } from './program';
import { Root } from './root';

/** What a host gives to show a program, which may still be on its way. */
export interface ProgramSource {
  program: Promise<Program>;
  /** What was left out of a program too large to save, as one sentence. */
  partial: string | null;
  /** What its author chose of how it opens. */
  opening: Opening;
  /** Makes later stages; null if no kernel can. */
  kernel: Kernel | null;
  preferring?: Preferring;
}

export function Mounted({ source }: { source: ProgramSource }) {
  const arrival = useArrival(source.program, 'program');
  if (arrival === null || 'failure' in arrival) {
    return (
      <Root label={__('JAX program')}>
        <Alone arrival={arrival} what="program" />
      </Root>
    );
  }
  const program = arrival.value;
  const later = program.compared === null;
  return <ProgramView key={program} {...source} program={program} later={later} />;
}

/** A program as the host shows it: waiting for it, then its view, or why it never comes. */
import { __ } from '../language';
import type { Opening, Program } from '../schema';
import type { Kernel } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { LoadingOrFailure, useArrival } from './loading';
import { ProgramView } from './program-view';
import { Root } from './view-root';

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
  const later = program.compared === null;
  return <ProgramView key={program} {...source} program={program} later={later} />;
}

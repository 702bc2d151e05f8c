import { __ } from '../language';
import { Alone, useArrival } from './arrival';
import type { ProgramSource } from './index';
import { ProgramView } from './program';
import { Root } from './root';

/** A program's view, or the one line that stands for it until it is here, or why it never will be. */
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

import { h, render } from 'preact';
import type { Kernel } from '../model/kernel';
import type { Program } from '../schema';
import { Mounted } from './mounted';

export { LINES, type LinesEvent, SOURCE, type SourceEvent } from './source';

/** What a host gives: a program, perhaps still on its way. */
export interface ProgramSource {
  program: Promise<Program>;
  /** What was left out of a program too large to save, as one sentence. */
  partial: string | null;
  /** The kind of the stage that is seen first. */
  stage: string;
  /** Makes later stages; null where no kernel can. */
  kernel: Kernel | null;
}

/** Show a program in an element until the signal aborts. */
export function mount(element: HTMLElement, source: ProgramSource, signal: AbortSignal): void {
  if (signal.aborted) return;
  render(h(Mounted, { source }), element);
  signal.addEventListener('abort', () => render(null, element), { once: true });
}

import type { Program } from '../schema';

export function ProgramView({ program }: { program: Program; partial: string | null }) {
  return <section class="jxv" aria-label={`JAX program ${program.name}`} />;
}

import type { BuildOptions, BuildResult } from 'esbuild';

export const PARTS: BuildOptions & { write: false; metafile: true };
export function bundled(
  result: BuildResult<typeof PARTS>,
): Promise<{ script: string; style: string; first: number; whole: number }>;

const LONGEST = 60;

/** A program's name as that of a file: letters, digits and a few signs; `grad(loss)`. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{M}\p{N}_.,+()-]+/gu, '_').replace(/^[._]+|[._]+$/g, '');
  return [...plain].slice(0, LONGEST).join('') || 'program';
}

/** Gives the browser a file to keep. */
export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // A browser that reads the file late still finds it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

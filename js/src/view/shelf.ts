/** Where views are kept while the browser's tab is open: what is there may be anything. */

const KEY = 'jaxviz';
/** Programs that are kept, and the characters that they may take together. */
const MOST = 40;
const LARGEST = 300_000;

/** Stands in where the page may store nothing. */
let held = '';

export function recall(name: string): unknown {
  return entries().find(([one]) => one === name)?.[1] ?? null;
}

export function keep(name: string, memo: unknown): void {
  const others = entries().filter(([one]) => one !== name);
  const all: [unknown, unknown][] = [[name, memo], ...others];
  let kept = all.slice(0, MOST);
  while (kept.length > 0 && JSON.stringify(kept).length > LARGEST) {
    kept = kept.slice(0, Math.floor(kept.length / 2));
  }
  held = JSON.stringify(kept);
  try {
    sessionStorage.setItem(KEY, held);
  } catch {
    // Refused, or full: then it lasts as long as the page.
  }
}

function entries(): [unknown, unknown][] {
  try {
    const data: unknown = JSON.parse(stored() || '[]');
    return Array.isArray(data)
      ? data.filter((one): one is [unknown, unknown] => Array.isArray(one))
      : [];
  } catch {
    return [];
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return held;
  }
}

/** Reads what the viewer shows: the text of a file, a file of the viewer's own site, or the data in its address. */
import { reportIn } from '../../facts/reports';
import { decode, fromBase64, readLog } from '../../facts/wire';
import { readLinkText } from '../../facts/wire/link';
import { readSaved, type Saved } from '../../facts/wire/saved-file';
import { __ } from '../../language';
import type { Log, Opening, Program, Report } from '../../schema';
import { openingIn } from '../../state/preferences';

/** A log, or a program with the report of a tool and its first view. */
export type Content =
  | { log: Promise<Log> }
  | { program: Promise<Program>; report: Report | null; opening: Opening };

/** Reads a file that `save` wrote as `.json` or `.html`. Throws one sentence if it is something else. */
export const contentOf = (text: string): Content =>
  /^\s*</.test(text) ? inPage(text) : asContent(readSaved(text));

function asContent(saved: Saved): Content {
  if ('log' in saved) return { log: Promise.resolve(saved.log) };
  return { program: Promise.resolve(saved.program), report: saved.report, opening: {} };
}

/** Reads the data block of a saved page. The parsed document has no window: its scripts do not run, and it loads
 * nothing. */
function inPage(text: string): Content {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const data = page.querySelector<HTMLScriptElement>('script#data[data-what]');
  if (!data) throw notSaved();
  const { what, opening, report } = data.dataset;
  const bytes = fromBase64(data.textContent);
  if (what === 'log') return { log: readLog(bytes) };
  return {
    program: decode(bytes),
    report: reportIn(json(report)),
    opening: openingIn(json(opening)),
  };
}

function json(text = 'null'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notSaved();
  }
}

const notSaved = (): Error =>
  new Error(__('jaxviz did not save this page, or a part of it is missing.'));

/** Reads a file of this site, by its path from the site's root. */
async function fileOfSite(site: URL, path: string): Promise<Content> {
  const answer = await fetch(addressIn(site, path), {
    mode: 'same-origin',
    credentials: 'omit',
    redirect: 'error',
  }).catch(() => null);
  if (!answer?.ok) throw new Error(__('This site has no such file.'));
  return contentOf(await answer.text());
}

/** Parts that a path of the same site has not: a scheme, a query, escapes, control characters, a root, `..`. */
const FOREIGN = /[:?#%\\\p{Cc}]|^\/|(^|\/)\.\.?(\/|$)/u;

/** The address of a file below the root of the site. Throws one sentence if a path leads elsewhere. */
export function addressIn(site: URL, path: string): URL {
  const address = path === '' || FOREIGN.test(path) ? null : new URL(path, site);
  if (!address?.href.startsWith(site.href)) {
    throw new Error(
      __('The address must name a file of this site, such as %1.', '?file=step.jaxviz.json'),
    );
  }
  return address;
}

/** The content that an address asks for: its name, and a function that reads it. Null if it asks for nothing. */
export function askedFor(
  page: URL,
  site: URL,
): { name: string; read: () => Promise<Content> } | null {
  const data = new URLSearchParams(page.hash.slice(1)).get('data');
  if (data !== null) {
    return { name: __('Link'), read: async () => asContent(await readLinkText(data)) };
  }
  const path = page.searchParams.get('file');
  return path === null ? null : { name: path, read: () => fileOfSite(site, path) };
}

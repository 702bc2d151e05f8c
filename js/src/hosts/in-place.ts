/** Shows live views in a page of JupyterLab or Notebook that lacks our extension. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Opening } from '../schema';
import { mount, mountLog } from '../shell';
import { openingIn } from '../state/preferences';
import type { Asking } from './asking';
import { notebookKernel } from './lab/notebook-kernel';

/** Puts a live view in the place of each picture that this process of a kernel has shown. Only the
 * page changes: what is saved with the notebook stays the picture. */
export function attend(session: ISessionContext, process: string, css: string): void {
  document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
  const pictures = document.getElementsByClassName(`jaxviz-in-${process}`);
  const places = new Map<HTMLElement, Place>();
  const look = () => {
    for (const [output, place] of places) {
      if (output.isConnected && output.contains(place.picture)) continue;
      if (output.isConnected && place.goesOn(pictureIn(output, pictures))) continue;
      place.end();
      places.delete(output);
    }
    for (const picture of pictures) {
      const output = picture.closest<HTMLElement>('.jp-OutputArea-output');
      if (output && !places.has(output)) places.set(output, new Place(session, output, picture));
    }
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();
}

/** The first of these pictures that is in an output. */
function pictureIn(output: HTMLElement, pictures: HTMLCollection): Element | undefined {
  return [...pictures].find((picture) => output.contains(picture));
}

/** An output and its live view, which stands beside the picture and hides it. */
class Place {
  picture: Element;
  readonly #output: HTMLElement;
  readonly #key: string;
  readonly #kernel: Asking | null;
  readonly #root = document.createElement('div');
  readonly #ending = new AbortController();
  /** Asks for the log as it is now. */
  #grow: () => void = () => undefined;

  constructor(session: ISessionContext, output: HTMLElement, picture: Element) {
    this.#output = output;
    this.picture = picture;
    this.#key = named(picture, 'key');
    this.#root.className = 'jp-OutputArea-output jaxviz-live';
    this.#kernel = notebookKernel(session, this.#key, this.#ending.signal);
    const begun = picture.classList.contains('jaxviz-log') ? this.#showLog() : this.#showProgram();
    begun.catch(() => undefined); // the picture stays
  }

  /** Takes over a picture that replaced the one before, if both show the same thing. Returns
   * whether it does. */
  goesOn(picture: Element | undefined): boolean {
    if (!picture || named(picture, 'key') !== this.#key) return false;
    this.picture = picture;
    this.#grow();
    return true;
  }

  /** Shows the picture again in place of the live view. */
  end(): void {
    this.#ending.abort();
    this.#root.remove();
    this.#output.style.display = '';
  }

  async #showProgram(): Promise<void> {
    const { signal } = this.#ending;
    const program = await this.#kernel?.whole(signal);
    if (!program || signal.aborted) return;
    const opening = readOpening(named(this.picture, 'opening'));
    const source = { program: Promise.resolve(program), partial: null, opening };
    mount(this.#place(), { ...source, kernel: this.#kernel }, signal);
  }

  async #showLog(): Promise<void> {
    const { signal } = this.#ending;
    const log = await this.#kernel?.log(signal);
    if (!log || signal.aborted) return;
    const strip = this.picture.classList.contains('jaxviz-strip');
    const source = { log: Promise.resolve(log), strip, kernel: this.#kernel };
    const show = mountLog(this.#place(), source, signal);
    this.#grow = oneAtATime(async () => {
      const newer = await this.#kernel?.log(signal);
      if (newer) show(Promise.resolve(newer));
    });
    if (log.running) this.#grow();
  }

  #place(): HTMLElement {
    this.#output.after(this.#root);
    this.#output.style.display = 'none';
    return this.#root;
  }
}

/** What follows `jaxviz-KIND-` among an element's classes; empty where there is none. */
function named(element: Element, kind: string): string {
  const start = `jaxviz-${kind}-`;
  return [...element.classList].find((one) => one.startsWith(start))?.slice(start.length) ?? '';
}

/** Reads how a program opens from the text in a class name (`jaxviz/display/bundle.py` writes it). */
function readOpening(letters: string): Opening {
  try {
    return openingIn(JSON.parse(atob(letters.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return {};
  }
}

/** Gives a function that does some work, one time after the other. If it is called during the work,
 * the work is done once more. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const begin = async () => {
    isBusy = true;
    do {
      isWanted = false;
      await work().catch(() => undefined);
    } while (isWanted);
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void begin();
  };
}

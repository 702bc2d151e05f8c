/** Live views in pages that lack our extension: in JupyterLab or Notebook in place of pictures, in other pages linked
 * with the code above them. */
import type { ISessionContext } from '@jupyterlab/apputils';
import { linked } from '../facts/linked/linked';
import { jaxprOf, type LinePlace, leadsToEqns } from '../facts/linked/source-lines';
import type { Listing, Opening, Program } from '../schema';
import { mount, mountLog, mountQuiz } from '../shell';
import { SELECT, SELECTED, type SelectedEvent, VIEWS } from '../shell/parts/host-events';
import { openingIn } from '../state/preferences';
import type { KernelClient } from './kernel-client';
import { notebookKernel } from './lab/notebook-kernel';

/** Puts a live view in place of each picture that this kernel process displayed. Only the page
 * changes: the notebook still saves the picture. */
export function attend(session: ISessionContext, process: string, css: string): void {
  document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
  const pictures = document.getElementsByClassName(`jaxviz-in-${process}`);
  const outputs = new Map<HTMLElement, LiveOutput>();
  const update = () => {
    for (const [output, live] of outputs) {
      if (output.isConnected && output.contains(live.picture)) continue;
      if (output.isConnected && live.adopt(firstPictureIn(output, pictures))) continue;
      live.end();
      outputs.delete(output);
    }
    for (const picture of pictures) {
      const output = picture.closest<HTMLElement>('.jp-OutputArea-output');
      if (output && !outputs.has(output))
        outputs.set(output, new LiveOutput(session, output, picture));
    }
  };
  new MutationObserver(update).observe(document.body, { childList: true, subtree: true });
  update();
}

/** The first of these pictures that is in an output. */
function firstPictureIn(output: HTMLElement, pictures: HTMLCollection): Element | undefined {
  return [...pictures].find((picture) => output.contains(picture));
}

/** An output with its live view, which is placed beside the picture and hides it. */
class LiveOutput {
  picture: Element;
  readonly #output: HTMLElement;
  readonly #key: string;
  readonly #kernel: KernelClient | null;
  readonly #root = document.createElement('div');
  readonly #ending = new AbortController();
  /** Requests the log again, because it may have grown. */
  #renew: () => void = () => undefined;

  constructor(session: ISessionContext, output: HTMLElement, picture: Element) {
    this.#output = output;
    this.picture = picture;
    this.#key = classSuffix(picture, 'key');
    this.#root.className = 'jp-OutputArea-output jaxviz-live';
    this.#kernel = notebookKernel(session, this.#key, this.#ending.signal);
    this.#show().catch(() => undefined); // the picture stays
  }

  /** Uses a newer picture of the same program or log. Returns false if the picture shows something
   * else. */
  adopt(picture: Element | undefined): boolean {
    if (!picture || classSuffix(picture, 'key') !== this.#key) return false;
    this.picture = picture;
    this.#renew();
    return true;
  }

  /** Shows the picture again in place of the live view. */
  end(): void {
    this.#ending.abort();
    this.#root.remove();
    this.#output.style.display = '';
  }

  #show(): Promise<void> {
    const { classList } = this.picture;
    if (classList.contains('jaxviz-quiz')) return this.#showQuiz();
    return classList.contains('jaxviz-log') ? this.#showLog() : this.#showProgram();
  }

  async #showQuiz(): Promise<void> {
    const { signal } = this.#ending;
    const quiz = await this.#kernel?.quiz(signal);
    if (quiz && !signal.aborted) mountQuiz(this.#place(), Promise.resolve(quiz), signal);
  }

  async #showProgram(): Promise<void> {
    const { signal } = this.#ending;
    const program = await this.#kernel?.whole(signal);
    if (!program || signal.aborted) return;
    const opening = readOpening(classSuffix(this.picture, 'opening'));
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
    this.#renew = oneAtATime(async () => {
      const newer = await this.#kernel?.log(signal);
      if (newer) show(Promise.resolve(newer));
    });
    if (log.running) this.#renew();
  }

  #place(): HTMLElement {
    this.#output.after(this.#root);
    this.#output.style.display = 'none';
    return this.#root;
  }
}

/** The part of an element's class `jaxviz-KIND-…` after the prefix; empty if it has no such class. */
function classSuffix(element: Element, kind: string): string {
  const start = `jaxviz-${kind}-`;
  return [...element.classList].find((one) => one.startsWith(start))?.slice(start.length) ?? '';
}

/** Reads an `Opening` from a class name (`jaxviz/display/bundle.py` writes it). */
function readOpening(letters: string): Opening {
  try {
    return openingIn(JSON.parse(atob(letters.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return {};
  }
}

/** Returns a function that starts `work`, never twice at the same time. A call during the work
 * repeats it afterwards. */
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

const MARKED = 'jxv-page-line';
const LINKED = 'jxv-page-code';

/** Links the view in an element with the blocks of code that have the text of its program's cells, as JupyterLab does:
 * the lines of a selection are marked, and a click on a line selects it. The keyboard does the same in *Source*. */
export function linkCode(
  element: HTMLElement,
  program: Program,
  blocks: readonly HTMLElement[],
): void {
  for (const listing of program.listings) {
    const block = blocks.filter((one) => isCodeOf(one, listing) && isBefore(one, element)).at(-1);
    if (block) link(element, program, listing, block);
  }
}

const isCodeOf = ({ textContent }: HTMLElement, { start, text }: Listing): boolean =>
  start === 1 && textContent?.trimEnd() === text.trimEnd();

const isBefore = (one: Node, other: Node): boolean =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

function link(element: HTMLElement, program: Program, listing: Listing, block: HTMLElement): void {
  block.classList.add(LINKED);
  element.addEventListener(SELECTED, (event) => {
    const { program, selected, pointed } = (event as CustomEvent<SelectedEvent>).detail;
    const focus = pointed ?? selected;
    const lines = focus ? linked(program.stages, focus).lines : [];
    mark(
      block,
      lines.filter(({ file, cell }) => file === listing.file && cell === listing.cell),
    );
  });
  block.addEventListener('click', ({ clientY }) => {
    const line = { cell: listing.cell, file: listing.file, line: lineAt(block, clientY) };
    const jaxpr = jaxprOf(program);
    if (!getSelection()?.isCollapsed || !jaxpr || !leadsToEqns(jaxpr, line)) return;
    const detail = { stage: 'source', line };
    element.querySelector(VIEWS)?.dispatchEvent(new CustomEvent(SELECT, { detail }));
  });
}

/** Marks these lines of a block. The marks are behind the text, and no part of it. */
function mark(block: HTMLElement, lines: readonly LinePlace[]): void {
  for (const old of block.querySelectorAll(`.${MARKED}`)) old.remove();
  block.style.setProperty('--jxv-code-top', getComputedStyle(block).paddingTop);
  for (const { line } of lines) {
    const shown = document.createElement('span');
    shown.className = MARKED;
    shown.style.setProperty('--jxv-line', String(line - 1));
    block.append(shown);
  }
}

/** The line (from 1) at a height of the window, px. */
function lineAt(block: HTMLElement, y: number): number {
  const text = document.createRange();
  text.selectNodeContents(block);
  const { top, height } = text.getBoundingClientRect();
  const lines = block.textContent?.trimEnd().split('\n').length ?? 1;
  return 1 + Math.floor(((y - top) / height) * lines);
}

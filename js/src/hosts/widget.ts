/** The view in any host of anywidgets: VS Code, Colab, marimo, or a page of its own. */
import '../../style/index.css';
import type { AnyModel, RenderProps } from '@anywidget/types';
import { reportIn } from '../facts/reports';
import { decode, readLog, readQuiz } from '../facts/wire';
import { __ } from '../language';
import type { Program } from '../schema';
import { mount, mountLog, mountQuiz } from '../shell';
import { openingIn } from '../state/preferences';
import type { Texts } from './catalogue';
import { KernelClient } from './kernel-client';

/** The data that the kernel passes to the widget. */
interface Traits {
  /** `program`, `log` or `quiz`. */
  what: string;
  /** A program in its wire form; a log or a question as JSON, deflated. */
  payload: DataView<ArrayBuffer>;
  /** An `Opening`. */
  opening: unknown;
  /** A `Report`, or null. */
  report: unknown;
  /** True if the kernel can trace it once more, line by line. */
  can_step: boolean;
  /** True if a log is first one line. */
  strip: boolean;
  /** The first selected line of the program's code. Only pages have it. */
  line?: number;
  /** The blocks of code of a page, which are linked with the view. */
  code?: readonly HTMLElement[];
}

function render({ model, el }: RenderProps<Traits>): () => void {
  const shown = new AbortController();
  const what = model.get('what');
  if (what === 'log') showLog(model, el, shown.signal);
  else if (what === 'quiz') mountQuiz(el, readQuiz(payloadOf(model)), shown.signal);
  else showProgram(model, el, shown.signal);
  return () => shown.abort();
}

type Model = RenderProps<Traits>['model'];

function showProgram(model: Model, element: HTMLElement, signal: AbortSignal): void {
  const sent = decode(payloadOf(model));
  const code = model.get('code');
  const program = code ? linkedWith(code, element, sent) : sent;
  const kernel = kernelOf(model, signal);
  const opening = openingIn(model.get('opening'));
  const report = reportIn(model.get('report'));
  const stepping = kernel && model.get('can_step') ? () => kernel.stepped(signal) : null;
  const kernels = report?.tool === 'explain' ? { kernel: null, fixKernel: kernel } : { kernel };
  const line = model.get('line') ?? null;
  mount(element, { program, partial: null, opening, report, stepping, line, ...kernels }, signal);
}

/** The program, once the view in an element is linked with the blocks of code (`in-place.ts`): it tells them what is
 * selected first. */
async function linkedWith(
  code: readonly HTMLElement[],
  element: HTMLElement,
  sent: Promise<Program>,
): Promise<Program> {
  const [program, { linkCode }] = await Promise.all([sent, import('./in-place')]);
  linkCode(element, program, code);
  return program;
}

/** Shows a log, which grows while its cell runs. */
function showLog(model: Model, element: HTMLElement, signal: AbortSignal): void {
  const read = () => readLog(payloadOf(model));
  const kernel = kernelOf(model, signal);
  const show = mountLog(element, { log: read(), strip: model.get('strip'), kernel }, signal);
  const changed = () => show(read());
  const { on, off }: Partial<Model> = model;
  on?.call(model, 'change:payload', changed);
  signal.addEventListener('abort', () => off?.call(model, 'change:payload', changed));
}

function payloadOf(model: Model): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = model.get('payload');
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A client for the kernel that made the program or log. Null in a saved page, where nothing
 * answers. */
function kernelOf(model: Partial<AnyModel<Traits>>, signal: AbortSignal): KernelClient | null {
  if (!model.send || !model.on) return null;
  const client = new KernelClient((question) => model.send?.(question));
  const receive = (message: unknown, buffers: DataView[]) => client.receive(message, buffers);
  model.on('msg:custom', receive);
  signal.addEventListener('abort', () => {
    model.off?.('msg:custom', receive);
    client.close(__('The view was closed.'));
  });
  return client;
}

/** The data of an output in this format, from this one or an earlier one. */
export const upgraded = async (data: { what: string; version: number }) => {
  const { what, version } = data;
  const records = await import('../facts/wire/records');
  const names = { log: 'LogDisplay', quiz: 'QuizDisplay' } as const;
  const name = what === 'log' || what === 'quiz' ? names[what] : 'Display';
  return records.upgraded(data, name, version);
};
/** Sets the page's language (`catalogue.ts`). The script of our Sphinx extension calls it. */
export const speakAs = async (texts: Texts) => (await import('./catalogue')).speakAs(texts);
/** Makes an element of a page the viewer of saved files (`viewer/`). The same script calls it. */
export const viewer = async (...page: Parameters<typeof import('./viewer').viewer>) =>
  (await import('./viewer')).viewer(...page);
/** Puts live views in place of the kernel's pictures (`in-place.ts`). `loader.ts` calls it. */
export const attend = async (...page: Parameters<typeof import('./in-place').attend>) =>
  (await import('./in-place')).attend(...page);
export default { render };

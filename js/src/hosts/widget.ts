/** The view in any host of anywidgets: VS Code, Colab, marimo, or a page of its own. */

import { __ } from '../language';
import { openingIn } from '../state/preferences';
import '../../style/index.css';
import type { AnyModel, RenderProps } from '@anywidget/types';
import { jobIn } from '../facts/job';
import { isRecord } from '../facts/records';
import { timedIn } from '../facts/timed';
import { birthsIn, timesIn, valuesIn } from '../facts/told-lines';
import { stepsIn } from '../facts/trace-steps';
import { decode, readLog } from '../facts/wire';
import type { Card } from '../schema';
import { mount, mountLog } from '../view';
import { Asking } from './asking';
import type { Texts } from './catalogue';

/** What the kernel tells the widget. */
interface Traits {
  /** `program` or `log`. */
  what: string;
  /** A program in its wire form, or a log as JSON, deflated. */
  payload: DataView<ArrayBuffer>;
  /** How a program opens: an `Opening`. */
  opening: unknown;
  /** The card of an error, of which this is the program so far: `Card`, or null. */
  card: unknown;
  /** How its trace went: `Steps`, or null. */
  steps: unknown;
  /** What its values were like: `Values`, or null. */
  values: unknown;
  /** Where the NaN of a run was born: `Births`, or null. */
  births: unknown;
  /** What its runs took: `Times`, or null. */
  times: unknown;
  /** What calls took: `Timed`, or null. */
  timed: unknown;
  /** The programs of a job: `Job`, or null. */
  job: unknown;
  /** Whether the kernel can trace it once more, line by line. */
  can_step: boolean;
  /** Whether a log is first seen as one line. */
  strip: boolean;
}

function render({ model, el }: RenderProps<Traits>): () => void {
  const shown = new AbortController();
  if (model.get('what') === 'log') showLog(model, el, shown.signal);
  else showProgram(model, el, shown.signal);
  return () => shown.abort();
}

type Model = RenderProps<Traits>['model'];

function showProgram(model: Model, element: HTMLElement, signal: AbortSignal): void {
  const program = decode(payloadOf(model));
  const kernel = kernelOf(model, signal);
  const opening = openingIn(model.get('opening'));
  const steps = stepsIn(model.get('steps'));
  const values = valuesIn(model.get('values'));
  const births = birthsIn(model.get('births'));
  const times = timesIn(model.get('times'));
  const timed = timedIn(model.get('timed'));
  const job = jobIn(model.get('job'));
  const stepping = kernel && model.get('can_step') ? () => kernel.stepped(signal) : null;
  const told = { steps, values, births, times, timed, job, stepping };
  const found = model.get('card');
  const card = isRecord(found, 'Card') ? (found as Card) : null;
  const asked = card ? { kernel: null, tries: kernel } : { kernel };
  mount(element, { program, partial: null, opening, card, ...asked, ...told }, signal);
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

/** The kernel that made what is shown. Null in a saved page, where nothing answers. */
function kernelOf(model: Partial<AnyModel<Traits>>, signal: AbortSignal): Asking | null {
  if (!model.send || !model.on) return null;
  const asking = new Asking((question) => model.send?.(question));
  const receive = (message: unknown, buffers: DataView[]) => asking.receive(message, buffers);
  model.on('msg:custom', receive);
  signal.addEventListener('abort', () => {
    model.off?.('msg:custom', receive);
    asking.close(__('The view was closed.'));
  });
  return asking;
}

export const speakAs = async (texts: Texts) => (await import('./catalogue')).speakAs(texts);
export const attend = async (...page: Parameters<typeof import('./in-place').attend>) =>
  (await import('./in-place')).attend(...page);
export default { render };

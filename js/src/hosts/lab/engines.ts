/** Outputs of one cell that engines of ipyparallel made: those of the same call are shown as one, with a
 * switch of engines. Engines that hold the same program have one place in it. */
import { gather } from '../../facts/gather';
import type { Display, Held, Job, Program } from '../../schema';

/** An output that came from an engine. */
export interface EngineOutput {
  readonly engine: number;
  readonly display: Display;
  readonly program: Promise<Program>;
  readonly node: HTMLElement;
  /** Shows its program with those of other engines, which then show nothing; or alone. */
  show: (job: Job | null) => void;
}

/** The number of the engine that an output came from, as ipyparallel writes it beside what is displayed,
 * or beside a last value; null where it came from none. */
export function engineOf(metadata: { readonly [name: string]: unknown }): number | null {
  const engine = metadata.engine ?? metadata.engine_id;
  return typeof engine === 'number' && Number.isInteger(engine) && engine >= 0 ? engine : null;
}

/** Whether an output can be one of several: it has a whole program, and nothing beside it. */
export const canJoin = ({ partial, report }: Display): boolean =>
  partial === null && report === null;

/** The outputs of a cell, and how often they were arranged. */
interface Area {
  outputs: Set<EngineOutput>;
  turn: number;
}

const AREAS = new WeakMap<Element, Area>();
const HIDDEN = 'jp-jaxviz-elsewhere';

/** Puts an output together with those of other engines in its cell. Returns what takes it out again. */
export function join(output: EngineOutput): () => void {
  const element = output.node.closest('.jp-OutputArea');
  if (!element) return () => undefined;
  const area = AREAS.get(element) ?? { outputs: new Set(), turn: 0 };
  AREAS.set(element, area);
  area.outputs.add(output);
  void arrange(area);
  return () => {
    hide(output, false);
    hideLabel(output, false);
    if (area.outputs.delete(output)) void arrange(area);
  };
}

/** The first output of each engine together, the second of each, and so on. The one of the first engine
 * shows all. */
async function arrange(area: Area): Promise<void> {
  area.turn += 1;
  const { turn } = area;
  const keys = new Map(
    await Promise.all([...area.outputs].map(async (one) => [one, await keyOf(one)] as const)),
  );
  if (turn !== area.turn) return;
  const inOrder = [...keys.keys()].sort((one, other) => (isBefore(one.node, other.node) ? -1 : 1));
  const counts = new Map<number, number>();
  const calls = gather(inOrder, ({ engine }) => {
    const count = counts.get(engine) ?? 0;
    counts.set(engine, count + 1);
    return count;
  });
  for (const call of calls.values()) {
    const [first, ...others] = call.sort((one, other) => one.engine - other.engine);
    if (!first) continue;
    hide(first, false);
    for (const other of others) hide(other, true);
    for (const one of call) hideLabel(one, others.length > 0);
    first.show(others.length > 0 ? jobOf(call, keys) : null);
  }
}

/** What two programs have in common that are the same: all but how long they took to make. */
async function keyOf({ program, display }: EngineOutput): Promise<string> {
  const read = await program.catch(() => null);
  if (!read) return display.program;
  const { name, jax, args, results, fixed } = read;
  const stages = read.stages.map(({ kind, text, error, frames }) => [kind, text, error, frames]);
  return JSON.stringify([name, jax, args, results, fixed, stages]);
}

function jobOf(outputs: readonly EngineOutput[], keys: ReadonlyMap<EngineOutput, string>): Job {
  const programs = [...gather(outputs, (one) => keys.get(one)).values()];
  const held = programs.map((by, place): Held => {
    const processes = by.map(({ engine }) => engine).sort((one, other) => one - other);
    const program = place === 0 ? null : (by[0]?.display.program ?? '');
    return { processes, differs: '', program };
  });
  return { tool: 'agree', held, text: '', agreement: null };
}

const isBefore = (one: Node, other: Node): boolean =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

const placeOf = ({ node }: EngineOutput): Element => node.closest('.jp-OutputArea-child') ?? node;

const hide = (output: EngineOutput, hidden: boolean): boolean =>
  placeOf(output).classList.toggle(HIDDEN, hidden);

/** What ipyparallel writes above an output of an engine; the switch says it. */
function hideLabel(output: EngineOutput, hidden: boolean): void {
  const before = placeOf(output).previousElementSibling;
  const text = before?.querySelector('.jp-OutputArea-output')?.textContent?.trim();
  if (text === `[output:${output.engine}]`) before?.classList.toggle(HIDDEN, hidden);
}

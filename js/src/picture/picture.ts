import { colour } from '../facts/colours/colouring';
import { type Differences, differencesOf } from '../facts/compared/differences';
import { totals } from '../facts/graph';
import type { Id } from '../facts/ids';
import { pairOf } from '../facts/pairs';
import { keys } from '../facts/pytree';
import { fixedText } from '../facts/signature';
import { head, oneLine } from '../layout/measure';
import { type Scene, sceneOf } from '../layout/scene';
import type { Program, Stage } from '../schema';
import { CELL, firstView } from '../state/budget';
import { told } from '../words/difference-words';
import { svgOf } from './drawing';
import type { Heading } from './heading';
import { shortened } from './shorten';

/** Boxes in one place, fewer where a picture is too large: all that are tried. */
const MOST_ITEMS = [40, 20, 10];
/** Boxes in all: bodies of which each holds but the next are opened no further. */
const MOST_BOXES = 100;
/** Px before less is open. */
const LARGEST = { width: 1600, height: 2800 };
const MOST_BYTES = 40_000;
/** Columns of the heading's texts. */
const ROOM = { name: 40, signature: 64, fixed: 80 };
/** What the eqns of later stages are called, where those of the jaxpr are just eqns. */
const OF: Record<string, string> = { stablehlo: ' of StableHLO', hlo: ' of optimized HLO' };
/** Eqns of a body that holds another twice, which holds another twice: more need no number. */
const ENDLESS = 1e9;

/**
 * The static picture of a program, for where no script runs: an SVG of its stage `kind`, or of the first
 * where that is not there, at most 1000 px wide and 40 kB. What is open is what the page opens at first,
 * less where that is too large. Throws where there is no graph to draw.
 */
export function picture(program: Program, kind: string, tried = MOST_ITEMS): string {
  const stage = drawableStage(program, kind);
  let drawn = '';
  for (const most of tried) {
    const short = shortened(stage, most);
    const differences = differencesOf({ ...program, stages: [short] });
    const heading = headingOf(program, short, differences);
    let open = [...firstView(short, differences, CELL, null, MOST_BOXES)];
    for (;;) {
      const scene = sceneOf(short, new Set(open));
      const by = differences ? 'change' : 'family';
      drawn = svgOf(scene, heading, colour(short, scene.boxes, by, differences));
      const isSmall = bytesOf(drawn) <= MOST_BYTES;
      if (isSmall && (open.length === 0 || fits(scene))) return drawn;
      if (open.length === 0) break;
      open = fewer(short, open);
    }
  }
  return drawn;
}

/** The stage of that kind, or the first that has a graph. Throws where there is none. */
export function drawableStage({ stages }: Program, kind: string): Stage {
  const drawable = stages.filter(({ graphs }) => graphs.length > 0);
  const stage = drawable.find((one) => one.kind === kind) ?? drawable[0];
  if (!stage) throw new Error('there is no graph to draw.');
  return stage;
}

const fits = ({ width, height }: Scene): boolean =>
  width <= LARGEST.width && height <= LARGEST.height;

/** Without what was opened last; a forward and its backward group go together. */
function fewer(stage: Stage, open: readonly Id[]): Id[] {
  const kept = open.slice(0, -Math.max(1, Math.floor(open.length / 8)));
  const gone = new Set(open.slice(kept.length).flatMap((id) => pairOf(stage, id)));
  return kept.filter((id) => !gone.has(id));
}

function headingOf(program: Program, stage: Stage, differences: Differences | null): Heading {
  const fixed = head(oneLine(fixedText(program)), ROOM.fixed);
  const signature = head(signatureOf(program), ROOM.signature);
  return {
    name: head(oneLine(program.name), ROOM.name),
    about: fixed === '' ? signature : `${signature} · ${fixed}`,
    count: differences ? '' : eqnsOf(stage),
    differs: differences && { names: namesOf(differences), told: told(differences, stage) },
  };
}

function namesOf({ compared: { before, after } }: Differences): string {
  const named = (name: string) => head(oneLine(name), ROOM.name);
  return before === after ? 'before → after' : `${named(before)} → ${named(after)}`;
}

function eqnsOf(stage: Stage): string {
  const total = totals(stage)[0] ?? 0;
  const counted = (eqns: number) => `${eqns.toLocaleString('en')} ${eqns === 1 ? 'eqn' : 'eqns'}`;
  const count = total > ENDLESS ? `over ${counted(ENDLESS)}` : counted(total);
  return count + (OF[stage.kind] ?? '');
}

/** `(params, x) → f32[]`: the arguments by name, the results by type. */
export function signatureOf({ args, results }: Program): string {
  const names = new Set(args.map(({ path }) => oneLine(keys(path)[0] ?? '')));
  const types = results.slice(0, 3).map(({ aval }) => oneLine(aval.text));
  const rest = results.length - types.length;
  if (rest > 0) types.push(`… ${rest.toLocaleString('en')} more`);
  return `(${[...names].join(', ')}) → ${types.join(', ') || '()'}`;
}

/** The length of a text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

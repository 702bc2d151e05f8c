import { type Block, blocksOf } from '../model/log/blocks';
import { gapOf } from '../model/log/events';
import { endOf, type Lane, type Track } from '../model/log/lanes';
import { type Scale, type Tick, toPx } from '../model/log/scale';
import { timeText } from '../model/log/time';
import type { Event, Log } from '../schema';
import { contrast } from './rgb';
import { paintNamed, type Theme } from './theme';

/** Heights, px: of the marks above a track, of its blocks, of the strip of calls that JAX's caches
 * knew, and of what is left free around. */
const MARKS = 9;
const BAR = 14;
const HITS = 5;
const AROUND = 7;

export const laneHeight = ({ tracks, function: { hits } }: Lane): number =>
  2 * AROUND + Math.max(1, tracks.length) * (MARKS + BAR) + (hits ? HITS + 3 : 0);

const trackTop = (track: number): number => AROUND + track * (MARKS + BAR) + MARKS;

/** Which colours the kinds of events have, by the names of the theme's paints. */
const KIND_PAINTS = new Map([
  ['trace', 'contraction'],
  ['lower', 'control'],
  ['compile', 'reduction'],
]);

/** What is shown of a lane. */
export interface LaneView {
  log: Log;
  lane: Lane;
  scale: Scale;
  ticks: readonly Tick[];
  /** The number of the event that is selected. */
  selected: number | null;
  /** The numbers of events that are meant beside it: where there are any, all others are pale. */
  marked: ReadonlySet<number>;
}

/** The block at a point of a lane, px; null where there is none near. */
export function blockAt({ log, lane, scale }: LaneView, x: number, y: number): Block | null {
  const track = Math.floor((y - AROUND) / (MARKS + BAR));
  const near = lane.tracks[Math.max(0, Math.min(track, lane.tracks.length - 1))];
  if (!near) return null;
  const apart = ({ x: left, width }: Block) => Math.max(left - x, x - left - width, 0);
  const found = blocksOf(near, scale, log.start).reduce<Block | null>(
    (best, block) => (best && apart(best) <= apart(block) ? best : block),
    null,
  );
  return found && apart(found) <= NEAR ? found : null;
}

const NEAR = 4;

export function paintLane(ctx: CanvasRenderingContext2D, view: LaneView, theme: Theme): void {
  const { log, lane, scale, ticks } = view;
  const height = laneHeight(lane);
  ctx.fillStyle = theme.edge;
  ctx.globalAlpha = 0.3;
  for (const { px } of ticks) ctx.fillRect(Math.round(px), 0, 1, height);
  ctx.globalAlpha = 1;
  paintGap(ctx, log, scale, height, theme);
  lane.tracks.forEach((track, index) => {
    paintTrack(ctx, view, track, trackTop(index), theme);
  });
  paintHits(ctx, view, height, theme);
  if (log.running) {
    ctx.fillStyle = paintNamed(theme, 'reduction').line;
    ctx.fillRect(Math.round(toPx(scale, log.seconds)), 0, 1, height);
  }
}

function paintTrack(
  ctx: CanvasRenderingContext2D,
  view: LaneView,
  track: Track,
  top: number,
  theme: Theme,
): void {
  const { log, scale, marked, selected } = view;
  ctx.fillStyle = paintNamed(theme, 'group').fill;
  for (const { from, to, events } of track) {
    const [left, right] = [toPx(scale, from), toPx(scale, to)];
    if (events.length > 1 && right > 0 && left < scale.width) {
      ctx.fillRect(left - 2, top - 2, right - left + 4, BAR + 4);
    }
  }
  const blocks = blocksOf(track, scale, log.start);
  for (const [at, block] of blocks.entries()) {
    if (block.x + block.width < -20 || block.x > scale.width + 20) continue;
    const isPale = marked.size > 0 && !block.events.some(({ number }) => marked.has(number));
    ctx.globalAlpha = isPale ? 0.25 : 1;
    paintBlock(ctx, block, top, theme);
    if (block.events.length > MOST_OF_CALL) {
      const left = at > 0 ? endAt(blocks[at - 1]!) : 0;
      const right = Math.min(blocks[at + 1]?.x ?? Infinity, scale.width);
      paintCount(ctx, block, { left, right }, top, theme);
    }
    paintMark(ctx, block, top, theme);
    ctx.globalAlpha = 1;
    if (block.events.some(({ number }) => number === selected)) ring(ctx, block, top, theme);
  }
}

function paintBlock(ctx: CanvasRenderingContext2D, block: Block, top: number, theme: Theme): void {
  const { events } = block;
  const width = block.width - (block.width > 6 ? 1 : 0);
  const height = Math.max(...events.map(heightOf));
  const y = top + BAR - height;
  if (events.every(({ implied }) => implied)) {
    ctx.strokeStyle = colourOf(events[0].kind, theme);
    ctx.lineWidth = 1;
    ctx.strokeRect(block.x + 0.5, y + 0.5, Math.max(2, width - 1), height - 1);
  } else if (events.length > 1) {
    paintMany(ctx, block, y, height, theme);
  } else {
    ctx.fillStyle = colourOf(events[0].kind, theme);
    ctx.fillRect(block.x, y, width, height);
    if (events[0].cached) stripes(ctx, block.x, top, width, theme);
  }
  if (height === BAR) paintText(ctx, textOf(block), block, top, theme);
}

const textOf = ({ events }: Block): string =>
  events.length > 1 ? `×${events.length}` : timeText(events[0].seconds);

/** Events of a call at most: a trace, a lowering, a compilation. */
const MOST_OF_CALL = 3;

/** How many they are, beside a block in which there is no room for that: to its right, else to its
 * left, where nothing else is. */
function paintCount(
  ctx: CanvasRenderingContext2D,
  block: Block,
  free: { left: number; right: number },
  top: number,
  theme: Theme,
): void {
  ctx.font = FONT;
  const text = textOf(block);
  const wide = ctx.measureText(text).width + 2 * BESIDE;
  if (isRoomy(block, wide - 2 * BESIDE)) return;
  const end = endAt(block);
  const x = end + wide <= free.right ? end : block.x - wide;
  if (x < free.left) return;
  ctx.fillStyle = theme.ink;
  ctx.textBaseline = 'middle';
  ctx.fillText(text, x + BESIDE, top + BAR / 2 + 0.5);
}

/** What is left free beside a text, px. */
const BESIDE = 5;
const FONT = '10px system-ui, sans-serif';

/** Whether a text of so many px stands within a block. */
const isRoomy = ({ width }: Block, wide: number): boolean => width >= Math.max(26, wide + 8);

const endAt = ({ x, width }: Block): number => x + width;

/** The kinds of many events one above the other: each in proportion to its time, and at least to be
 * seen. */
function paintMany(
  ctx: CanvasRenderingContext2D,
  block: Block,
  top: number,
  high: number,
  theme: Theme,
): void {
  const kinds = [...KIND_PAINTS.keys()].flatMap((kind) => {
    const own = block.events.filter((event) => event.kind === kind);
    const seconds = own.reduce((sum, event) => sum + event.seconds, 0);
    return own.length > 0 ? [{ kind, seconds }] : [];
  });
  const all = kinds.reduce((sum, { seconds }) => sum + seconds, 0);
  let y = top + high;
  const free = high - 2 * kinds.length;
  for (const { kind, seconds } of kinds) {
    const height = 2 + free * (all > 0 ? seconds / all : 1 / kinds.length);
    y -= height;
    ctx.fillStyle = colourOf(kind, theme);
    ctx.fillRect(block.x, y, block.width, height);
  }
}

function paintText(
  ctx: CanvasRenderingContext2D,
  text: string,
  block: Block,
  top: number,
  theme: Theme,
): void {
  ctx.font = FONT;
  if (!isRoomy(block, ctx.measureText(text).width)) return;
  const fill = colourOf(block.events[0].kind, theme);
  ctx.fillStyle = contrast(fill, '#000000') > contrast(fill, '#ffffff') ? '#000000' : '#ffffff';
  ctx.textBaseline = 'middle';
  ctx.fillText(text, Math.max(block.x, 0) + 4, top + BAR / 2 + 0.5);
}

/** A triangle over what was made again, a cross over what failed. */
function paintMark(ctx: CanvasRenderingContext2D, block: Block, top: number, theme: Theme): void {
  const x = block.x + Math.min(block.width, 6) / 2;
  if (block.events.some(({ error }) => error !== null)) {
    ctx.strokeStyle = theme.match;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x - 3, top - 8);
    ctx.lineTo(x + 3, top - 2);
    ctx.moveTo(x + 3, top - 8);
    ctx.lineTo(x - 3, top - 2);
    ctx.stroke();
  } else if (block.events.some(({ again }) => again)) {
    ctx.fillStyle = theme.ink;
    ctx.beginPath();
    ctx.moveTo(x, top - 2);
    ctx.lineTo(x - 4, top - 8);
    ctx.lineTo(x + 4, top - 8);
    ctx.fill();
  }
}

function ring(ctx: CanvasRenderingContext2D, block: Block, top: number, theme: Theme): void {
  ctx.strokeStyle = theme.selected.line;
  ctx.lineWidth = 2;
  ctx.strokeRect(block.x - 2, top - 2, block.width + 4, BAR + 4);
}

function stripes(
  ctx: CanvasRenderingContext2D,
  x: number,
  top: number,
  width: number,
  theme: Theme,
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, top, width, BAR);
  ctx.clip();
  ctx.strokeStyle = theme.ground;
  ctx.lineWidth = 2;
  ctx.beginPath();
  for (let at = x - BAR; at < x + width; at += 6) {
    ctx.moveTo(at, top + BAR);
    ctx.lineTo(at + BAR, top);
  }
  ctx.stroke();
  ctx.restore();
}

/** Where the events lie that are not listed. */
function paintGap(
  ctx: CanvasRenderingContext2D,
  log: Log,
  scale: Scale,
  height: number,
  theme: Theme,
): void {
  const at = gapOf(log);
  const [before, after] = [log.events[at - 1], log.events[at]];
  if (log.omitted === 0 || !before || !after) return;
  const left = Math.max(0, toPx(scale, endOf(before) - log.start));
  const right = Math.min(scale.width, toPx(scale, after.start - log.start));
  if (right <= left) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, 0, right - left, height);
  ctx.clip();
  ctx.strokeStyle = paintNamed(theme, 'group').line;
  ctx.globalAlpha = 0.35;
  ctx.beginPath();
  for (let x = left - (left % HATCH) - height; x < right; x += HATCH) {
    ctx.moveTo(x, height);
    ctx.lineTo(x + height, 0);
  }
  ctx.stroke();
  ctx.restore();
}

/** Px between the lines of what is hatched. */
const HATCH = 8;

/** Calls that JAX's caches knew, the denser the darker. */
function paintHits(
  ctx: CanvasRenderingContext2D,
  { log, lane, scale }: LaneView,
  height: number,
  theme: Theme,
): void {
  const { hits } = lane.function;
  if (!hits) return;
  const most = Math.max(1, ...hits);
  ctx.fillStyle = theme.faint;
  hits.forEach((count, slice) => {
    if (count === 0) return;
    const left = toPx(scale, slice * log.slice);
    const right = toPx(scale, (slice + 1) * log.slice);
    if (right < 0 || left > scale.width) return;
    ctx.globalAlpha = 0.2 + 0.6 * (count / most);
    ctx.fillRect(left, height - AROUND - HITS, Math.max(1, right - left), HITS);
  });
  ctx.globalAlpha = 1;
}

const colourOf = (kind: string, theme: Theme): string =>
  paintNamed(theme, KIND_PAINTS.get(kind) ?? '').line;

const heightOf = ({ depth, kind }: Event): number =>
  depth > 0 ? BAR / 2 : kind === 'lower' ? BAR - 4 : BAR;

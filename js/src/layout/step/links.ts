/** Routes the edges of a training step. */
import type { Id } from '../../facts/ids';
import type { Item } from '../../facts/outline';
import { joined } from '../../facts/text/describe';
import { type Link, PLAIN_LINK } from '../frame';
import { head, type Rect, SMALL, textWidth } from '../measure';
import {
  ARC,
  type Atom,
  type Column,
  type Geometry,
  gapBefore,
  isBeside,
  isWithin,
  mid,
  type Points,
  portOf,
  portX,
  type StepPlan,
  tidy,
} from './atoms';
import {
  APART,
  type Bundle,
  byLane,
  carried,
  isBelow,
  type Label,
  labelOf,
  MOST_TURNS,
  turnsBetween,
} from './bundles';
import type { LaneName } from './lanes';

/** The distance of edges from what they pass, px. */
const CLEAR = 10;
/** The most edges from one atom to rows of a lane; more become one edge to the lane. */
const MOST_SINGLE = 2;
/** Px between an edge and the text above it, for an edge below open boxes: there the next row is near. */
const ABOVE_CHANNEL = 14;

type Plan = Pick<StepPlan, 'stage' | 'graph' | 'shape'>;

/** The edges of a step, and the lowest y that they reach, px. */
export function linksOf(
  plan: Plan,
  atoms: readonly Atom[],
  bundles: readonly Bundle[],
  geometry: Geometry,
): { links: Link[]; bottom: number } {
  const router = new Router(plan, bundles, geometry);
  for (const bundle of bundles) {
    if (bundle.kind === 'next') router.next(bundle);
    else if (bundle.kind === 'arc') router.arc(bundle);
    else if (bundle.kind === 'level') router.level(bundle);
  }
  const far = byLane(bundles);
  for (const atom of atoms) {
    for (const group of far.get(atom)?.values() ?? []) router.far(atom, group);
  }
  router.mentions();
  return { links: router.links, bottom: router.bottom };
}

class Router {
  readonly links: Link[] = [];
  bottom: number;
  /** The number of edges that already turn before each column. */
  private readonly turned = new Map<Column, number>();
  private below = 0;
  private readonly afar = new Map<Atom, { sources: Item[]; link: Link }>();

  constructor(
    private readonly plan: Plan,
    private readonly bundles: readonly Bundle[],
    private readonly geometry: Geometry,
  ) {
    this.bottom = geometry.bottom;
  }

  /** An edge to the row below, or above in a lane that runs up. */
  next({ source, target, wires }: Bundle): void {
    const up = source.column === 'backward';
    for (const wire of wires) {
      const from = source.x + portX(source, 'exits', wire.source.port);
      const to = target.x + portX(target, 'entries', wire.target.port);
      const points = up
        ? [from, source.y, to, target.y + target.h]
        : [from, source.y + source.h, to, target.y];
      this.add(source, target, wire.vars, points, up ? 'up' : 'down');
    }
  }

  /** An edge past a few rows, beside the lane. */
  arc({ source, target, vars, track }: Bundle): void {
    const right = source.column === 'backward';
    const [left, end] = this.columnOf(source);
    const middle = (left + end) / 2;
    const half = (source.list?.width[right ? 'backward' : 'forward'] ?? 0) / 2;
    const x = right ? middle + half + ARC * (track + 1) : middle - half - ARC * (track + 1);
    const side = (atom: Atom) => (right ? atom.x + atom.w : atom.x);
    const off = right ? -5 : 5;
    const [from, to] = [mid(source) + off, mid(target) - off];
    const points = [side(source), from, x, from, x, to, side(target), to];
    this.add(source, target, vars, points, right ? 'left' : 'right');
  }

  /** An edge to the same row of the next lane; below open boxes it runs through a channel. */
  level(bundle: Bundle): void {
    const { source, target, wires } = bundle;
    const text = labelOf(this.plan, bundle);
    if (!isBelow(bundle) || !isBeside(this.geometry, source.column, target.column)) {
      this.across(bundle, text);
      return;
    }
    const low = Math.max(source.y + source.h, target.y + target.h) + CLEAR;
    const out = source.x + source.w + CLEAR;
    const into = target.x - CLEAR;
    for (const wire of wires) {
      const start = portOf(source, 'exits', wire.source.port);
      const end = portOf(target, 'entries', wire.target.port);
      const begin =
        start === null
          ? [source.x + source.w, mid(source), out, mid(source), out, low]
          : [start, source.y + source.h, start, low];
      const finish =
        end === null
          ? [into, low, into, mid(target), target.x, mid(target)]
          : [end, low, end, target.y + target.h];
      this.add(source, target, wire.vars, [...begin, ...finish], end === null ? 'right' : 'up');
    }
    const middle = this.middleBefore(source.column, target.column);
    if (!this.plan.shape.tight) {
      this.label(text, middle, low - ABOVE_CHANNEL);
      return;
    }
    this.label({ label: '', note: joined(' · ', [text.label, text.note]) }, middle, low);
    this.bottom = Math.max(this.bottom, low + CLEAR + SMALL);
  }

  /** Edges from one column to another that do not run level. */
  far(atom: Atom, group: Bundle[]): void {
    const [first] = group as [Bundle];
    const { source, target } = first;
    const lane = atom === source ? target.column : source.column;
    const frame = this.geometry.frames.get(lane as 'forward');
    const outside = source.list === null || target.list === null;
    const inLane = group.filter(
      (one) => frame && isWithin(atom === one.source ? one.target : one.source, frame),
    );
    const gathered =
      outside &&
      inLane.length > MOST_SINGLE &&
      isBeside(this.geometry, source.column, target.column)
        ? inLane
        : [];
    if (frame && gathered.length > 0) {
      this.toLane(atom, frame, gathered);
      for (const bundle of gathered) this.across(bundle, null, true);
    }
    for (const bundle of group) {
      if (gathered.includes(bundle)) continue;
      if (source.column === target.column) this.cut(bundle);
      else if (outside && isBeside(this.geometry, source.column, target.column))
        this.across(bundle, null);
      else if (outside && target.column === 'outputs' && group.length <= MOST_SINGLE)
        this.under(bundle);
      else if (source.column === 'inputs') this.cut(bundle);
      else this.turn(bundle);
    }
  }

  /** An edge between rows of two lanes that turns between them, if there is room for one more. */
  private turn(bundle: Bundle): void {
    const { source, target } = bundle;
    const turned = this.turned.get(target.column) ?? 0;
    if (turned === MOST_TURNS || !isBeside(this.geometry, source.column, target.column)) {
      this.cut(bundle);
      return;
    }
    this.turned.set(target.column, turned + 1);
    this.across(bundle, null, false, APART * turned);
  }

  /** One edge that stands for all those from or to the rows of a lane. */
  private toLane(atom: Atom, frame: Rect & { item: Item }, group: Bundle[]): void {
    const vars = [...new Set(group.flatMap((bundle) => bundle.vars))];
    const from = atom === group[0]?.source;
    const y = Math.min(Math.max(mid(atom), frame.y + 12), frame.y + frame.h - 12);
    const near = from ? atom.x + atom.w : atom.x;
    const far = from ? frame.x : frame.x + frame.w;
    const turn = (from ? far : this.columnOf(atom)[0]) - 2 * CLEAR;
    const points = from
      ? [near, mid(atom), turn, mid(atom), turn, y, far, y]
      : [far, y, turn, y, turn, mid(atom), near, mid(atom)];
    const [source, target] = from ? [atom.item, frame.item] : [frame.item, atom.item];
    this.push(source.id, target.id, vars, points, 'right', false);
    if (group[0]?.source.column === 'backward' && vars.length > 1) {
      this.label(carried(this.plan, vars, 'gradients'), (far + turn) / 2, y);
    }
  }

  /** An edge from the right side of one atom to the left side of another, turning between the columns. */
  private across(
    { source, target, vars }: Bundle,
    text: Label | null,
    cut = false,
    aside = 0,
  ): void {
    const gap = gapBefore(this.geometry, target.column);
    const turn =
      source.column === 'inputs'
        ? gap[0] + CLEAR + APART * (source.order % 5)
        : gap[1] - CLEAR - aside;
    const [x, y] = [source.x + source.w, mid(source)];
    const points = [x, y, turn, y, turn, mid(target), target.x, mid(target)];
    const link = this.add(source, target, vars, points, 'right', cut);
    if (text) this.label(text, this.middleBefore(source.column, target.column), y, link);
  }

  /** The middle of the space before a column that edges from another one leave free when they turn. */
  private middleBefore(from: Column, to: Column): number {
    const [left, right] = gapBefore(this.geometry, to);
    const turns = Math.max(1, turnsBetween(this.bundles, from, to));
    return (left + right - CLEAR - APART * (turns - 1)) / 2;
  }

  /** An edge below all lanes, to the outputs. */
  private under({ source, target, vars }: Bundle): void {
    const low = this.geometry.bottom + 2 * CLEAR + APART * this.below++;
    const gap = gapBefore(this.geometry, 'outputs');
    const turn = gap[0] + CLEAR + APART * (target.order % 5);
    const last =
      !this.geometry.columns.has('forward') || source.y + source.h >= this.lowest(source);
    const [, right] = this.columnOf(source);
    const start = last
      ? [source.x + source.w / 2, source.y + source.h, source.x + source.w / 2, low]
      : [source.x + source.w, mid(source), right + CLEAR, mid(source), right + CLEAR, low];
    this.bottom = Math.max(this.bottom, low);
    this.add(
      source,
      target,
      vars,
      [...start, turn, low, turn, mid(target), target.x, mid(target)],
      'right',
    );
  }

  private lowest(atom: Atom): number {
    const frame = this.geometry.frames.get(atom.column as 'forward');
    return frame ? frame.y + frame.h - 30 : 0;
  }

  /** An edge that is drawn only when selected; a name at its user replaces it. */
  private cut(bundle: Bundle): void {
    const { source, target, vars } = bundle;
    const turn = gapBefore(this.geometry, target.column)[1] - CLEAR;
    const high = -CLEAR;
    const [x, y] = [source.x + source.w, mid(source)];
    const [out, into] = [x + CLEAR, mid(target)];
    const points = [x, y, out, y, out, high, turn, high, turn, into, target.x, into];
    const link = this.add(source, target, vars, points, 'right', true);
    if (source.column === 'inputs') return;
    const existing = this.afar.get(target);
    if (existing) existing.sources.push(source.item);
    else this.afar.set(target, { sources: [source.item], link });
  }

  /** Names the origins of distant values at their users. An input lists its targets itself. */
  mentions(): void {
    for (const [atom, { sources, link }] of this.afar) link.mention = nameOfAfar(atom, sources);
  }

  private label(written: Label, x: number, y: number, link = this.links[this.links.length - 1]) {
    if (link) Object.assign(link, { ...written, labelX: x, labelY: y });
  }

  private add(
    source: Atom,
    target: Atom,
    vars: readonly number[],
    points: Points,
    direction: Link['direction'],
    cut = false,
  ): Link {
    return this.push(source.item.id, target.item.id, vars, points, direction, cut);
  }

  private push(
    source: Id,
    target: Id,
    vars: readonly number[],
    points: Points,
    direction: Link['direction'],
    cut: boolean,
  ): Link {
    const link = { ...PLAIN_LINK, source, target, vars, points: tidy(points), direction, cut };
    this.links.push(link);
    return link;
  }

  private columnOf(atom: Atom): [number, number] {
    return this.geometry.columns.get(atom.column) ?? [0, 0];
  }
}

// The name of a value whose long edge into a row is hidden until it is selected.

/** The height of the name, and its distance from its box, px: together at most the least gap between rows. */
const HEIGHT = 12;
const NEAR = 1;
/** The distance of the name's end from the middle of its lane, px. */
const BESIDE = 8;
/** Room for the name above an atom that is in no lane. */
const ALONE = 90;

/** The name of the items from which an atom takes distant values, and its place: above the left half of the atom, or
 * below it in a lane that runs up. */
function nameOfAfar(atom: Atom, sources: readonly Item[]) {
  const lane = atom.column as LaneName;
  const half = atom.list ? Math.max(atom.w, atom.list.width[lane]) / 2 - BESIDE : ALONE;
  const more = sources.length > 1 ? ` +${sources.length - 1}` : '';
  const text = head(sources[0]!.label, Math.floor(half / (SMALL * 0.6)) - more.length) + more;
  const w = textWidth(text, SMALL);
  const y = atom.column === 'backward' ? atom.y + atom.h + NEAR : atom.y - HEIGHT - NEAR;
  const x = atom.list ? atom.x + atom.w / 2 - BESIDE - w : atom.x;
  return { text, x, y, w, h: HEIGHT };
}

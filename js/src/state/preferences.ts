/** What the reader prefers of all views. */
export interface Preferences {
  /** Boxes that a graph shows at first; null for as many as the view has room for. */
  boxes: number | null;
  /** The kind of the stage that is seen first, where nothing else says which. */
  stage: string;
  /** As the system is set, or nothing moves. */
  motion: 'system' | 'still';
}

export const DEFAULTS: Preferences = { boxes: null, stage: 'jaxpr', motion: 'system' };

/** Boxes that may be preferred. */
const BOXES = { least: 10, most: 500 };

/** What may have come from a person's hand: what is no preference is as by default. */
export function preferencesIn(data: unknown): Preferences {
  const { boxes, stage, motion } = Object(data) as Record<string, unknown>;
  return {
    boxes: Number.isInteger(boxes) && (boxes as number) > 0 ? within(boxes as number) : null,
    stage: typeof stage === 'string' && stage !== '' ? stage : DEFAULTS.stage,
    motion: motion === 'still' ? 'still' : 'system',
  };
}

const within = (boxes: number): number => Math.max(BOXES.least, Math.min(BOXES.most, boxes));

/** Preferences that may change. */
export interface Preferring {
  /** Once they are known. */
  ready: Promise<void>;
  now(): Preferences;
  /** Calls after each change, until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
}

/** Of a host that has no settings. */
export const UNCHANGED: Preferring = {
  ready: Promise.resolve(),
  now: () => DEFAULTS,
  follow: () => undefined,
};

/** The kinds of events, in the order in which JAX takes a function through them. */
export const EVENT_KINDS = ['trace', 'lower', 'compile'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const isEventKind = (kind: string): boolean => EVENT_KINDS.some((known) => known === kind);

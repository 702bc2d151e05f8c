/** Ids that no other program of a page has: Preact's `useId` counts from 0 in each of them. */
import { useState } from 'preact/hooks';

export const useUniqueId = (): string =>
  useState(() => `jxv-${Math.random().toString(36).slice(2)}`)[0];

/** The id of an option in the list with that id. */
export const optionId = (list: string, option: number): string => `${list}-${option}`;

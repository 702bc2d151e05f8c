/** Ids that no other program of a page has: Preact's `useId` counts from 0 in each of them. */
import { useState } from 'preact/hooks';

export const useUniqueId = (): string =>
  useState(() => `jxv-${Math.random().toString(36).slice(2)}`)[0];

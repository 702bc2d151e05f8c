import { useEffect, useState } from 'preact/hooks';
import { linkTo } from '../facts/named-paths';
import { __ } from '../language';
import type { ViewState } from '../state/view-state';

/** Copies a link to the selection, and what is to be said of that, until another is selected. */
export function useCopiedLink({ stage, selected }: ViewState): [string, () => void] {
  const [said, say] = useState('');
  useEffect(() => say(''), [selected]);
  const copy = () => {
    if (selected === null) return;
    const link = linkTo(stage, selected);
    const writing = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error('none'));
    writing.then(
      () => say(__('Link copied')),
      () => say(link),
    );
  };
  return [said, copy];
}

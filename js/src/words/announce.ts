import type { Differences } from '../facts/compared/differences';
import type { Id } from '../facts/ids';
import { roleOf } from '../facts/role';
import { __ } from '../language';
import type { Stage } from '../schema';
import type { ViewState } from '../state/view-state';
import { spokenDifference } from './difference-words';
import { detailsOf } from './item-details';
import { typeOf } from './names';
import { neighbours } from './outline-rows';

const ONLY = {
  up: () => __('Showing only what leads to it'),
  down: () => __('Showing only what comes from it'),
};

const ROUND = {
  producers: (at: number, of: number) => __('producer %1 of %2', at, of),
  users: (at: number, of: number) => __('user %1 of %2', at, of),
  calls: (at: number, of: number) => __('call %1 of %2', at, of),
  changes: (at: number, of: number) => __('change %1 of %2', at, of),
};

/** What is said to a screen reader of the selection, of where a tour is, and of what was found. */
export function announcement(state: ViewState): string {
  const { stage, differences, selected, query, match, total, tour, only } = state;
  return [
    selected === null ? '' : said(stage, selected, differences),
    tour ? ROUND[tour.along](tour.at + 1, tour.ids.length) : '',
    only ? ONLY[only.toward]() : '',
    query.trim() === '' ? '' : foundText(match, total),
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const foundText = (match: number, total: number): string =>
  match < 0 ? __('%1 found', total) : __('%1 of %2 found', match + 1, total);

/** `Selected c = sin a, added, f32[4], backward, from x, to add`. */
function said(stage: Stage, id: Id, differences: Differences | null): string {
  const title = detailsOf(stage, id)?.title;
  if (title === undefined) return '';
  const differs = differences ? spokenDifference(differences, stage, id) : '';
  const parts = [title, differs, typeOf(stage, id), roleOf(stage, id), neighbours(stage, id)];
  return __('Selected %1', parts.filter((part) => part !== '').join(', '));
}

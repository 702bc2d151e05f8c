import type { Stage } from '../schema';
import type { Differences } from './compared/differences';
import { spokenDifference } from './compared/words';
import { detailsOf } from './details';
import type { Id } from './ids';
import { typeOf } from './names';
import { roleOf } from './role';
import { neighbours } from './rows';
import type { ViewState } from './state';

const WHAT = { up: 'what leads to it', down: 'what comes from it' } as const;
const ROUND = { producers: 'producer', users: 'user', calls: 'call', changes: 'change' } as const;

/** What is said to a screen reader of the selection, of where a tour is, and of what was found. */
export function announcement(state: ViewState): string {
  const { stage, differences, selected, query, match, total, tour, only } = state;
  return [
    selected === null ? '' : said(stage, selected, differences),
    tour ? `${ROUND[tour.along]} ${tour.at + 1} of ${tour.ids.length}` : '',
    only ? `Showing only ${WHAT[only.toward]}` : '',
    query.trim() === '' ? '' : `${match < 0 ? '' : `${match + 1} of `}${total} found`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** `Selected c = sin a, added, f32[4], backward, from x, to add`. */
function said(stage: Stage, id: Id, differences: Differences | null): string {
  const title = detailsOf(stage, id)?.title;
  if (title === undefined) return '';
  const differs = differences ? spokenDifference(differences, stage, id) : '';
  const parts = [title, differs, typeOf(stage, id), roleOf(stage, id), neighbours(stage, id)];
  return `Selected ${parts.filter((part) => part !== '').join(', ')}`;
}

/** A page of text on a kind of error or finding, in the inspector's place. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { __ } from '../../language';
import type { Page } from '../../schema';
import type { Selecting } from '../../state/panel/notebook-selection';
import type { Action } from '../../state/panel/panel-state';
import { PageView } from '../page-view';
import { Inspector } from './inspector';

type Dispatch = (action: Action) => void;

/** Opens the page that was just asked for. */
export function usePageToRead(page: Page | null, dispatch: Dispatch): void {
  useLayoutEffect(() => {
    if (page) dispatch({ type: 'read', page });
  }, [page]);
}

interface Props {
  page: Page | null;
  selecting: Selecting;
  dispatch: Dispatch;
}

export const InspectorOrPage = ({ page, selecting, dispatch }: Props) =>
  page ? <ReadPage {...{ page, selecting, dispatch }} /> : <Inspector selecting={selecting} />;

/** The page stands there until the reader closes it or selects something else. */
function ReadPage({ page, selecting, dispatch }: Props & { page: Page }) {
  const element = useRef<HTMLDivElement>(null);
  const close = () => dispatch({ type: 'read', page: null });
  useEffect(() => {
    element.current?.focus();
    const ending = new AbortController();
    const focus = () => selecting.now().selected?.focus ?? null;
    const before = focus();
    selecting.follow(() => focus() && focus() !== before && close(), ending.signal);
    return () => ending.abort();
  }, [page, selecting]);
  return (
    <div
      ref={element}
      class="jxv-inspector"
      role="tabpanel"
      aria-label={__('More about this')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also where no link is in it
      tabIndex={0}
    >
      <header class="jxv-panel-line jxv-inspector-head">
        <button type="button" class="jxv-button" onClick={close}>
          {__('Close')}
        </button>
      </header>
      <PageView page={page} />
    </div>
  );
}

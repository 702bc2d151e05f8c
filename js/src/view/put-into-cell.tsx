/** A button that writes a mend into the cell that it mends. It is there where the host can do that. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Frame, Mend } from '../schema';
import { EDIT, type EditEvent } from './host-events';

/** `edited` says that the cell has the lines of the mend now. */
type Fate = 'none' | 'possible' | 'edited';

export function PutIntoCell({ mend, at }: { mend: Mend; at: Frame }) {
  const element = useRef<HTMLSpanElement>(null);
  const [fate, tell] = useState<Fate>('none');
  const [refused, refuse] = useState('');
  const ask = (detail: Pick<EditEvent, 'wanted'>) => {
    const { cell } = at;
    if (cell === null) return;
    const { first, before, lines } = mend;
    const asked: EditEvent = { ...detail, cell, first, before, lines, tell, refuse };
    element.current?.dispatchEvent(new CustomEvent(EDIT, { bubbles: true, detail: asked }));
  };
  useEffect(() => ask({ wanted: false }), [mend]);
  return (
    <span ref={element}>
      {fate !== 'none' && (
        <button
          type="button"
          class="jxv-button"
          disabled={fate === 'edited'}
          onClick={() => ask({ wanted: true })}
        >
          {fate === 'edited' ? __('Put into the cell ✓') : __('Put into the cell')}
        </button>
      )}
      <span role="status">{refused}</span>
    </span>
  );
}

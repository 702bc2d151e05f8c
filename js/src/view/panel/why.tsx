import { fromKernel } from '../../model/kernel-words';
import { _n } from '../../model/language';
import { grouped } from '../../model/log/told';
import type { Change } from '../../schema';
import { Difference, Kind } from '../log/changes';
import { Middle } from '../log/middle';

interface Props {
  reason: readonly Change[];
  /** How many were left out. */
  more: number;
  hint: string;
  /** How many are shown. */
  most: number;
}

/** Why it came again: a line for each change, and what to do about it. */
export function Why({ reason, more, hint: kernels, most }: Props) {
  const hint = fromKernel(kernels);
  if (reason.length === 0) return null;
  const changes = grouped(reason).flatMap(({ kind, changes }) =>
    changes.map((change) => ({ kind, ...change })),
  );
  const left = Math.max(0, changes.length - most) + more;
  return (
    <div class="jxv-why">
      {changes.slice(0, most).map(({ kind, wheres, difference }, index) => (
        <p class="jxv-why-change" key={index}>
          <span class="jxv-why-where">
            <Kind kind={kind} />
            {wheres[0] !== '' && (
              <span class="jxv-why-place">
                <Middle text={wheres.join(', ')} />:{' '}
              </span>
            )}
          </span>
          <code>
            <Difference pieces={difference} />
          </code>
        </p>
      ))}
      {left > 0 && <p class="jxv-words">{_n('and %1 more change', 'and %1 more changes', left)}</p>}
      {hint !== '' && (
        <p class="jxv-log-hint" title={hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

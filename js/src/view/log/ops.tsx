import { useState } from 'preact/hooks';
import { placeOf } from '../../facts/describe';
import {
  compiledText,
  firstRunsText,
  opsOf,
  opText,
  stretchesOf,
  totalOf,
} from '../../facts/log/log-ops';
import type { Scale } from '../../facts/log/time-scale';
import { timeText } from '../../facts/log/times';
import { __ } from '../../language';
import type { Log } from '../../schema';
import { Middle } from './middle';
import { Place } from './place';

/** Ops that are listed at first. */
const FIRST = 6;

/** What was compiled op by op, outside jit: one line of the timeline for all. */
export function OpsRow({ log, scale }: { log: Log; scale: Scale }) {
  const { compiles, seconds } = totalOf(log);
  return (
    <tr class="jxv-log-lane jxv-log-ops">
      <th class="jxv-log-name" scope="row" title={firstRunsText()}>
        <span class="jxv-log-first">
          <Middle text={__('op by op')} />
          <span class="jxv-log-took">{timeText(seconds)}</span>
        </span>
        <span class="jxv-log-second">
          <span>{__('outside jit')}</span>
          <span class="jxv-log-counts">{compiledText(compiles)}</span>
        </span>
      </th>
      <td class="jxv-log-plot">
        {stretchesOf(log, scale).map(({ op, left, width }, index) => (
          <i
            key={index}
            title={opText(op)}
            style={`left:${left.toFixed(1)}px;width:${width.toFixed(1)}px`}
          />
        ))}
      </td>
    </tr>
  );
}

/** The ops by name and line, what took longest first. */
export function Ops({ log }: { log: Log }) {
  const [all, showAll] = useState(false);
  const ops = opsOf(log);
  if (ops.length === 0) return null;
  return (
    <section class="jxv-log-causes jxv-log-oplist">
      <h3>
        {__('Op by op, outside jit')}
        <span class="jxv-words">{firstRunsText()}</span>
      </h3>
      <ol>
        {(all ? ops : ops.slice(0, FIRST)).map((op, index) => (
          <li class="jxv-cause" key={index}>
            <span class="jxv-cause-cost">
              <b>{timeText(op.seconds)}</b>
              <span title={compiledText(op.compiles)}>×{op.compiles.toLocaleString('en')}</span>
            </span>
            <span class="jxv-cause-what">
              <code>{op.name}</code>
              {op.site && (
                <Place frame={op.site} text={placeOf(op.site)} about={__('called here')} />
              )}
            </span>
          </li>
        ))}
      </ol>
      {ops.length > FIRST && (
        <button type="button" class="jxv-link" onClick={() => showAll(!all)}>
          {all ? __('show fewer') : __('show %1 more', ops.length - FIRST)}
        </button>
      )}
    </section>
  );
}

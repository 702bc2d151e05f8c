/** JAX's cache of each function: its programs as rows, what tells them apart as columns, and its calls. */
import { placeOf } from '../../facts/describe';
import { keysOf } from '../../facts/log/guesses';
import { __ } from '../../language';
import type { CacheCall, CacheRow, CacheTable, Event, Log } from '../../schema';
import { fromKernel } from '../../words/from-kernel';
import { cacheNotes, cacheText, cellText, endText } from '../../words/log/cache-words';
import { eventText } from '../../words/log/log-words';
import { ChangeKind, LogPlace, ShortenedName } from './change-text';
import { Said } from './predict';

/** How many calls of one program are listed. */
const LISTED_CALLS = 20;

interface TablesProps {
  log: Log;
  /** Selects the trace of a program. */
  go: (event: Event) => void;
}

export function CacheTables({ log, go }: TablesProps) {
  const { caches } = log;
  if (caches.length === 0) return null;
  return (
    <section class="jxv-log-causes jxv-caches">
      <h3>
        {__("JAX's cache")}
        <span class="jxv-words">{__('one row per compiled program')}</span>
      </h3>
      {caches.map((table, index) => (
        <details key={index} open={caches.length === 1}>
          <summary>
            <ShortenedName text={table.name} />
            <span class="jxv-words">{cacheText(table)}</span>
          </summary>
          <Programs {...{ log, table, go }} />
          {cacheNotes(table).map((note) => (
            <p class="jxv-words" key={note}>
              {note}
            </p>
          ))}
        </details>
      ))}
    </section>
  );
}

function Programs({ log, table, go }: TablesProps & { table: CacheTable }) {
  const { columns, rows, hits } = table;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <div
      class="jxv-cache"
      role="group"
      aria-label={__("JAX's cache of %1", table.name)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{__('program')}</th>
            {columns.map(({ where, kind }, index) => (
              <th scope="col" key={index}>
                {where !== '' && <code>{where}</code>} <ChangeKind kind={kind} />
              </th>
            ))}
            <th scope="col">{hits === null ? __('traced at') : __('calls, in order')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Program key={index} {...{ log, table, row, index, go }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type ProgramProps = TablesProps & { table: CacheTable; row: CacheRow; index: number };

function Program({ log, table, row, index, go }: ProgramProps) {
  const calls = table.calls.flatMap((call, at) => (call.row === index ? [{ call, at }] : []));
  const number = log.caches.indexOf(table);
  const isCounted = table.hits !== null;
  const trace = log.events.find(({ number }) => number === row.number);
  return (
    <tr>
      <th scope="row">
        {trace ? (
          <button
            type="button"
            class="jxv-link"
            title={eventText(log, trace)}
            onClick={() => go(trace)}
          >
            {index + 1}
          </button>
        ) : (
          index + 1
        )}
      </th>
      {table.columns.map((column, at) => (
        <td key={at}>
          <code class={row.differs.includes(at) ? 'jxv-cache-differs' : ''}>
            {cellText(column, row.cells[at] ?? '')}
          </code>
        </td>
      ))}
      <td>
        {row.number === null && <span class="jxv-words">{__('traced before this log')} </span>}
        {calls.slice(0, LISTED_CALLS).map(({ call, at }) => (
          <Called key={at} {...{ call, isCounted }} keys={keysOf(number, at, call)} />
        ))}
        {calls.length > LISTED_CALLS && <span class="jxv-words">…</span>}
      </td>
    </tr>
  );
}

/** The line of a call, and whether the cache had its program. */
interface CalledProps {
  call: CacheCall;
  isCounted: boolean;
  /** Its keys among the reader's guesses. */
  keys: readonly string[];
}

const Called = ({ call, isCounted, keys }: CalledProps) => (
  <span class="jxv-cache-call">
    {call.site && (
      <LogPlace frame={call.site} text={placeOf(call.site)} about={__('called here')} />
    )}
    {isCounted && <b class={call.end === 'hit' ? 'jxv-cache-hit' : ''}>{endText(call)}</b>}
    <Said keys={keys} call={call} />
    {call.narrowed !== '' && <span class="jxv-words">{fromKernel(call.narrowed)}</span>}
  </span>
);

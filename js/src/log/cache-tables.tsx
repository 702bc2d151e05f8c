/** JAX's cache of each function: its programs as rows, their differences as columns, and its calls. */
import { keysOf } from '../facts/events/log-events';
import { placeOf } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __ } from '../language';
import type { CacheCall, CacheRow, CacheTable, Event, Log } from '../schema';
import { type Column, DataTable } from '../shell/parts/data-table';
import { cacheNotes, cacheText, endText, eventText } from '../words/events/log-words';
import { ChangeKind, LogPlace, ShortenedName } from './change-text';
import { PredictionResult } from './predict';

/** The most calls of one program that are listed. */
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

const Programs = ({ log, table, go }: TablesProps & { table: CacheTable }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
  <div
    class="jxv-cache"
    role="group"
    aria-label={__("JAX's cache of %1", table.name)}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    tabIndex={0}
  >
    <DataTable columns={columnsOf({ log, table, go })} rows={table.rows} />
  </div>
);

function columnsOf({ log, table, go }: TablesProps & { table: CacheTable }): Column<CacheRow>[] {
  const { columns, calls, hits } = table;
  const number = log.caches.indexOf(table);
  const traceOf = (row: CacheRow) => log.events.find(({ number }) => number === row.number);
  return [
    {
      label: () => __('program'),
      isHead: true,
      cell: (row, at) => <ProgramNumber {...{ log, at, go }} trace={traceOf(row)} />,
    },
    ...columns.map(
      (column, at): Column<CacheRow> => ({
        label: () => (
          <>
            {column.where !== '' && <code>{column.where}</code>} <ChangeKind kind={column.kind} />
          </>
        ),
        cell: ({ cells, differs }) => (
          <code class={differs.includes(at) ? 'jxv-cache-differs' : ''}>
            {sentenceText(cells[at] ?? '')}
          </code>
        ),
      }),
    ),
    {
      label: () => (hits === null ? __('traced at') : __('calls, in order')),
      cell: (row, index) => {
        const own = calls.flatMap((call, at) => (call.row === index ? [{ call, at }] : []));
        return (
          <>
            {row.number === null && <span class="jxv-words">{__('traced before this log')} </span>}
            {own.slice(0, LISTED_CALLS).map(({ call, at }) => (
              <Called
                key={at}
                call={call}
                isCounted={hits !== null}
                keys={keysOf(number, at, call)}
              />
            ))}
            {own.length > LISTED_CALLS && <span class="jxv-words">…</span>}
          </>
        );
      },
    },
  ];
}

interface NumberProps extends TablesProps {
  at: number;
  trace: Event | undefined;
}

const ProgramNumber = ({ log, at, trace, go }: NumberProps) =>
  trace ? (
    <button type="button" class="jxv-link" title={eventText(log, trace)} onClick={() => go(trace)}>
      {at + 1}
    </button>
  ) : (
    <>{at + 1}</>
  );

/** A call, with its line and its result in the cache. */
interface CalledProps {
  call: CacheCall;
  isCounted: boolean;
  /** The keys of the reader's predictions for it. */
  keys: readonly string[];
}

const Called = ({ call, isCounted, keys }: CalledProps) => (
  <span class="jxv-cache-call">
    {call.site && (
      <LogPlace frame={call.site} text={placeOf(call.site)} about={__('called here')} />
    )}
    {isCounted && <b class={call.end === 'hit' ? 'jxv-cache-hit' : ''}>{endText(call)}</b>}
    <PredictionResult keys={keys} call={call} />
    {call.narrowed !== '' && <span class="jxv-words">{sentenceText(call.narrowed)}</span>}
  </span>
);

import type { ComponentChildren } from 'preact';
import type { Followed } from '../../model/panel/kernel';

/** In place of lists that hold nothing: what to do first. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="jxv-panel-empty" role="status">
    {children}
  </div>
);

/** What to do first, each with the line to type. */
export function First({ followed: { known } }: { followed: Followed }) {
  switch (known.is) {
    case 'none':
      return (
        <Empty>
          <p>It has no kernel: choose or start one.</p>
        </Empty>
      );
    case 'asked':
      return (
        <Empty>
          <p>Asking the kernel…</p>
          <p>One that is busy may answer only when its cell has ended.</p>
        </Empty>
      );
    case 'failed':
      return (
        <Empty>
          <p class="jxv-reason">{known.reason}</p>
        </Empty>
      );
    case 'silent':
      return (
        <Empty>
          <p>Its kernel has not loaded jaxviz. Run in a cell:</p>
          <pre>%load_ext jaxviz</pre>
        </Empty>
      );
    case 'told':
      return (
        <Empty>
          <p>Nothing was captured or traced yet.</p>
          <p>To see the program of a call, run in a cell:</p>
          <pre>%jaxviz loss(params, x)</pre>
          {known.panel.watching ? (
            <p>All that JAX traces from now on will be listed here.</p>
          ) : (
            <>
              <p>To see what JAX traces and compiles from now on, and why again:</p>
              <pre>%jaxviz on</pre>
            </>
          )}
        </Empty>
      );
  }
}

import { useRef, useState } from 'preact/hooks';
import { __ } from '../../model/language';

/** A line to type in a cell, which can be copied. */
export function Typed({ line }: { line: string }) {
  const text = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    const writing = navigator.clipboard?.writeText(line) ?? Promise.reject(new Error('none'));
    writing.then(
      () => setCopied(true),
      () => text.current && getSelection()?.selectAllChildren(text.current),
    );
  };
  return (
    <div class="jxv-panel-typed">
      <pre ref={text}>{line}</pre>
      <button type="button" class="jxv-button" aria-label={__('Copy %1', line)} onClick={copy}>
        <span role="status">{isCopied ? __('Copied') : __('Copy')}</span>
      </button>
    </div>
  );
}

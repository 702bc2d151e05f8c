/** The help page of an error or finding: below the sentences on it, or in the panel. */
import { useRef, useState } from 'preact/hooks';
import { __ } from '../../language';
import type { Page } from '../../schema';
import { type Block, pageText } from '../../words/kernel-text';
import { PAGE, type PageEvent } from './host-events';

/** The help page without its title and reason, which are above it. Once it is open, the host is
 * asked for a place beside the notebook. */
export function MoreAboutThis({ page }: { page: Page }) {
  const element = useRef<HTMLDetailsElement>(null);
  const [hasPlace, setPlace] = useState(false);
  const ask = (wanted: boolean) => {
    const detail: PageEvent = { page, wanted, possible: () => setPlace(true) };
    element.current?.dispatchEvent(new CustomEvent(PAGE, { bubbles: true, detail }));
  };
  const move = () => {
    ask(true);
    element.current?.removeAttribute('open');
  };
  return (
    <details class="jxv-page" ref={element} onToggle={() => ask(false)}>
      <summary>{__('More about this')}</summary>
      {hasPlace && (
        <button type="button" class="jxv-button" onClick={move}>
          {__('Open it in the panel')}
        </button>
      )}
      <Blocks blocks={pageText(page).more} />
    </details>
  );
}

/** A whole help page. */
export function PageView({ page }: { page: Page }) {
  const { title, searched, why, more } = pageText(page);
  return (
    <article class="jxv-page">
      <h3>{title + searched}</h3>
      <p>{withCode(why)}</p>
      <Blocks blocks={more} />
    </article>
  );
}

const Blocks = ({ blocks }: { blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, index) => (
      <BlockView key={index} block={block} />
    ))}
  </>
);

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'code') return <pre>{block.lines.join('\n')}</pre>;
  if (block.kind === 'heading') return <h4>{block.text}</h4>;
  return <p>{withCode(block.text)}</p>;
}

/** A paragraph with the text between backticks as code. */
export const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));

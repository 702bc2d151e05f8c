/** A page of text on a kind of error, below what is said of the one at hand. */
import { __ } from '../language';
import type { Block } from '../words/page-text';

export function MoreAboutThis({ blocks }: { blocks: readonly Block[] }) {
  return (
    <details class="jxv-page">
      <summary>{__('More about this')}</summary>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </details>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'code') return <pre>{block.lines.join('\n')}</pre>;
  if (block.kind === 'heading') return <h4>{block.text}</h4>;
  return <p>{withCode(block.text)}</p>;
}

/** A paragraph, with what stands between backticks as code. */
export const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));

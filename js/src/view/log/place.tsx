import type { Frame } from '../../schema';
import { LineLink } from '../source';

interface Props {
  frame: Frame;
  text: string;
  about: string;
}

/** A line of a cell is a link; one of a file, which no host can be sure to find, is text. */
export function Place({ frame, text, about }: Props) {
  const title = `${about}: ${frame.code === '' ? frame.function : frame.code}`;
  if (frame.cell === null) {
    return (
      <span class="jxv-log-place" title={title}>
        {text}
      </span>
    );
  }
  return <LineLink frame={frame} text={text} title={title} />;
}

import type { Frame } from '../../schema';
import { Place as Source } from '../source';

interface Props {
  frame: Frame;
  text: string;
  about: string;
}

/** Where something happened, or is defined. */
export function Place({ frame, text, about }: Props) {
  const title = `${about}: ${frame.code === '' ? frame.function : frame.code}`;
  return <Source frame={frame} text={text} title={title} look="jxv-log-place" />;
}

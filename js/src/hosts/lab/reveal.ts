import { presentPlace } from '../../facts/linked/edited-lines';
import { __ } from '../../language';
import type { SourceEvent } from '../../view';
import type { Documents, OpenDocument } from './documents';
import { editorOf, linesOf, selectLine } from './editors';

/** A line of a cell. */
type CellLine = SourceEvent & { cell: string };

/**
 * Goes to a line of a cell, of this document before others, and selects it.
 *
 * Returns one sentence on why it could not, else an empty text.
 */
export async function revealLine(
  documents: Documents,
  near: OpenDocument,
  wanted: CellLine,
  activate: (document: OpenDocument) => void,
): Promise<string> {
  const found = documents.holding(wanted.cell, near);
  if (!found) return __('That cell is in no notebook and no console that is open here.');
  const { document, cell } = found;
  activate(document);
  await document.show(cell);
  const view = editorOf(cell);
  const line = view && presentPlace(wanted, linesOf(view));
  if (!cell.editor || line === null) {
    return __('That line was edited since it was captured: its cell is shown.');
  }
  selectLine(cell.editor, line);
  return '';
}

import { EditorView } from '@codemirror/view';
import type { Notebook } from '@jupyterlab/notebook';

export type Cell = Notebook['widgets'][number];
type Editor = NonNullable<Cell['editor']>;

/** JupyterLab's editors are CodeMirror's; their interface does not say so. */
export function editorOf({ editor }: { editor: Editor | null }): EditorView | null {
  const view = editor && (editor as { editor?: unknown }).editor;
  return view instanceof EditorView ? view : null;
}

/** The lines of an editor's text. */
export const linesOf = ({ state }: EditorView): readonly string[] => state.doc.toJSON();

/** Selects a line, from 1, and brings it into view. */
export function selectLine(editor: Editor, line: number): void {
  const at = Math.max(1, Math.min(line, editor.lineCount)) - 1;
  const column = editor.getLine(at)?.length ?? 0;
  editor.setSelection({ start: { line: at, column: 0 }, end: { line: at, column } });
  editor.revealPosition({ line: at, column: 0 });
}

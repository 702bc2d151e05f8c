import { EditorView } from '@codemirror/view';
import type { Notebook } from '@jupyterlab/notebook';

export type Cell = Notebook['widgets'][number];

/** JupyterLab's editors are CodeMirror's; their interface does not say so. */
export function editorOf({ editor }: Cell): EditorView | null {
  const view = editor && (editor as { editor?: unknown }).editor;
  return view instanceof EditorView ? view : null;
}

/** The lines of a cell's text. */
export const linesOf = ({ state }: EditorView): readonly string[] => state.doc.toJSON();

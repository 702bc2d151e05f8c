/** Saves a program, its text and its picture as files. */
import { differencesOf } from '../facts/differences';
import type { Id } from '../facts/ids';
import { fileName } from '../facts/text/describe';
import { __ } from '../language';
import { dot } from '../picture/dot';
import type { Picture } from '../picture/drawing';
import { headingOf } from '../picture/heading';
import { densityFor, pngOf, type Shown, seen, whole } from '../render/shown-picture';
import type { Program, Sentence, Stage } from '../schema';

/** The picture to save: all of it, or the visible part. */
function pictureOf({ program, stage, shown }: Exported, all: boolean): Picture {
  const picture = shown();
  if (!picture || picture.scene.boxes.length === 0)
    throw new Error(__('There is no picture to save.'));
  const heading = headingOf(program, stage, differencesOf(program));
  return all ? whole(picture, heading) : seen(picture, heading);
}

export const saveSvg = (exported: Exported, all: boolean): string =>
  save(pictureOf(exported, all).svg, 'image/svg+xml', exported, all ? '-all.svg' : '.svg');

export async function savePng(exported: Exported, all: boolean): Promise<string> {
  const picture = pictureOf(exported, all);
  const sentence = save(await pngOf(picture), 'image/png', exported, all ? '-all.png' : '.png');
  const density = densityFor(picture);
  if (density >= 1) return sentence;
  const part = `${Math.round(density * 100)} %`;
  return __(
    '%1 It is reduced to %2, because browsers limit the size of a bitmap; the SVG is complete.',
    sentence,
    part,
  );
}

export const saveText = (exported: Exported): string =>
  save(exported.stage.text, 'text/plain', exported, `.${exported.stage.kind}.txt`);

export const saveDot = (exported: Exported): string =>
  save(dot(exported.program, exported.stage.kind), 'text/vnd.graphviz', exported, '.dot');

/** Saves the program as JSON, under a name that JupyterLab opens in a view. Returns the sentence to
 * show. */
export function saveJson(exported: Exported): string {
  const json = JSON.stringify(exported.program);
  const sentence = save(json, 'application/json', exported, '.jaxviz.json');
  return exported.partial === null
    ? sentence
    : __('%1 It contains the saved part of the program.', sentence);
}

/** The visible part as a bitmap. */
export const bitmapOf = (exported: Exported): Promise<Blob> => pngOf(pictureOf(exported, false));

/** Saves data as a file. Returns the sentence to show. */
function save(data: BlobPart, type: string, { program }: Exported, suffix: string): string {
  const name = `${fileName(program.name)}${suffix}`;
  download(new Blob([data], { type }), name);
  return __('Saved %1.', name);
}

/** Makes the browser save a file. */
function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // A browser that reads the file late still finds it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** The view to export. */
export interface Exported {
  program: Program;
  stage: Stage;
  /** One sentence on what was left out when the program was saved; null if nothing was. */
  partial: Sentence | null;
  selected: Id | null;
  /** The picture on the screen; null if there is none. */
  shown: () => Shown | null;
}

/** What the export menu offers: its entries, and what each of them saves or copies. */
import { differencesOf } from '../facts/differences';
import type { Id } from '../facts/ids';
import { rangeOf } from '../facts/spans';
import { __ } from '../language';
import type { Picture } from '../picture/drawing';
import type { Shown } from '../render/shown-picture';
import type { Program, Stage } from '../schema';
import { detailsOf } from '../words/item-details';

/** What is exported. */
export interface Exported {
  program: Program;
  stage: Stage;
  /** One sentence on what was left out of the program when it was saved; null if nothing was. */
  partial: string | null;
  selected: Id | null;
  /** The picture on the screen; null where there is none. */
  shown: () => Shown | null;
}

/** An entry of the menu. `run` gives a sentence that says what was done; null where there is
 * nothing to do. */
export interface Entry {
  label: string;
  /** Code that stands after the label. */
  code?: string;
  run: (() => string | Promise<string>) | null;
}

/** The menu's entries, in sections. */
export function entriesOf(exported: Exported): Entry[][] {
  const { program, stage, selected } = exported;
  return [
    [
      { label: __('SVG of what is seen'), run: () => saveSvg(exported, false) },
      { label: __('PNG of what is seen'), run: () => savePng(exported, false) },
      { label: __('SVG of all that is open'), run: () => saveSvg(exported, true) },
      { label: __('PNG of all that is open'), run: () => savePng(exported, true) },
    ],
    [
      {
        label: __('Text of the %1', stage.kind),
        run: stage.text === '' ? null : () => saveText(exported),
      },
      { label: __('DOT for Graphviz'), run: () => saveDot(exported) },
      { label: __('JSON for jaxviz.load'), run: () => saveJson(exported) },
    ],
    [
      { label: __('Copy the picture'), run: () => copyPicture(exported) },
      {
        label: __('Copy the text of the selection'),
        run:
          selected === null
            ? null
            : () => copy(textOf(stage, selected), __('Copied the text of the selection.')),
      },
    ],
    [{ label: __('Offline page: copy'), ...lineOf(program) }],
  ];
}

/** The entry for the offline page: a line to copy, as only Python can write that page. */
function lineOf({ name, compared }: Program): Pick<Entry, 'code' | 'run'> {
  const what = compared ? 'comparison' : 'program';
  const made = compared ? 'comparison = jaxviz.compare(…)' : 'program = %jaxviz -o …';
  const code = `${what}.save('${fileName(name)}.html')`;
  return {
    code,
    run: () =>
      copy(
        code,
        compared
          ? __('Copied the line. The comparison it saves is that of `%1`.', made)
          : __('Copied the line. The program it saves is that of `%1`.', made),
      ),
  };
}

/** What makes pictures of what is on the screen, read when one is asked for. */
const drawing = () => import('../render/shown-picture');

/** The picture to save: of all, or of what is seen. */
async function pictureOf({ program, stage, shown }: Exported, all: boolean): Promise<Picture> {
  const picture = shown();
  if (!picture || picture.scene.boxes.length === 0)
    throw new Error(__('There is no picture to save.'));
  const { headingOf } = await import('../picture/heading');
  const heading = headingOf(program, stage, differencesOf(program));
  const { seen, whole } = await drawing();
  return all ? whole(picture, heading) : seen(picture, heading);
}

const saveSvg = async (exported: Exported, all: boolean): Promise<string> =>
  save((await pictureOf(exported, all)).svg, 'image/svg+xml', exported, all ? '-all.svg' : '.svg');

async function savePng(exported: Exported, all: boolean): Promise<string> {
  const picture = await pictureOf(exported, all);
  const { densityFor, pngOf } = await drawing();
  const said = save(await pngOf(picture), 'image/png', exported, all ? '-all.png' : '.png');
  const density = densityFor(picture);
  if (density >= 1) return said;
  const part = `${Math.round(density * 100)} %`;
  return __(
    "%1 It is too large for a browser's bitmap: %2 of its size; the SVG is whole.",
    said,
    part,
  );
}

const saveText = (exported: Exported): string =>
  save(exported.stage.text, 'text/plain', exported, `.${exported.stage.kind}.txt`);

const saveDot = async (exported: Exported): Promise<string> =>
  save(
    (await import('../picture/dot')).dot(exported.program, exported.stage.kind),
    'text/vnd.graphviz',
    exported,
    '.dot',
  );

/** Saves the program as JSON, under a name that JupyterLab opens in a view. Returns what to say of
 * it. */
function saveJson(exported: Exported): string {
  const json = JSON.stringify(exported.program);
  const said = save(json, 'application/json', exported, '.jaxviz.json');
  return exported.partial === null ? said : __('%1 It is what was saved of the program.', said);
}

/** Saves some data as a file. Returns what to say of it. */
function save(data: BlobPart, type: string, { program }: Exported, suffix: string): string {
  const name = `${fileName(program.name)}${suffix}`;
  download(new Blob([data], { type }), name);
  return __('Saved %1.', name);
}

async function copyPicture(exported: Exported): Promise<string> {
  const png = pictureOf(exported, false).then(async (one) => (await drawing()).pngOf(one));
  await clipboard().write([new ClipboardItem({ 'image/png': png })]);
  return __('Copied the picture.');
}

async function copy(text: string, said: string): Promise<string> {
  await clipboard().writeText(text);
  return said;
}

/** The clipboard. Throws a sentence where the page may not use it. */
function clipboard(): Clipboard {
  if (!navigator.clipboard) {
    throw new Error(__('A browser gives a page its clipboard only over https or from localhost.'));
  }
  return navigator.clipboard;
}

/** What the stage's text has for an item, else what the details say of it. */
function textOf(stage: Stage, id: Id): string {
  const range = rangeOf(stage, id);
  if (range) return stage.text.slice(range.from, range.to);
  const { title = '', facts = [] } = detailsOf(stage, id) ?? {};
  const lines = facts.map(
    ({ name, value }) => `${name}: ${value.map((part) => part.text).join(' ')}`,
  );
  return [title, ...lines].join('\n');
}

/** The most characters in the name of a file. */
const LONGEST_NAME = 60;

/** A program's name as that of a file: letters, digits and a few signs, such as `grad(loss)`. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{M}\p{N}_.,+()-]+/gu, '_').replace(/^[._]+|[._]+$/g, '');
  return [...plain].slice(0, LONGEST_NAME).join('') || 'program';
}

/** Has the browser save a file. */
function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // A browser that reads the file late still finds it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

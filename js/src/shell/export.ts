/** The export menu: its entries, and their actions. */
import type { Id } from '../facts/ids';
import { fileName } from '../facts/text/describe';
import { rangeOf } from '../facts/text/spans';
import { __ } from '../language';
import { type Program, SITE, type Stage } from '../schema';
import { detailsOf } from '../words/item-details';
import type { Exported } from './saved-files';

/** An entry of the menu. `run` returns a sentence that says what was done; it is null if there is
 * nothing to do. */
export interface Entry {
  label: string;
  /** Code after the label. */
  code?: string;
  run: (() => string | Promise<string>) | null;
}

/** The menu's entries, in sections. `site` is the address of the site, whose viewer reads links; empty if there is
 * none. */
export function entriesOf(exported: Exported, site = SITE): Entry[][] {
  const { program, stage, selected } = exported;
  return [
    [
      { label: __('SVG of the visible part'), run: saving((to) => to.saveSvg(exported, false)) },
      { label: __('PNG of the visible part'), run: saving((to) => to.savePng(exported, false)) },
      {
        label: __('SVG of everything that is open'),
        run: saving((to) => to.saveSvg(exported, true)),
      },
      {
        label: __('PNG of everything that is open'),
        run: saving((to) => to.savePng(exported, true)),
      },
    ],
    [
      {
        label: __('Text of the %1', stage.kind),
        run: stage.text === '' ? null : saving((to) => to.saveText(exported)),
      },
      { label: __('DOT for Graphviz'), run: saving((to) => to.saveDot(exported)) },
      { label: __('JSON for jaxviz.load'), run: saving((to) => to.saveJson(exported)) },
      ...(site ? [{ label: __('Copy as a link'), run: () => copyLink(program, site) }] : []),
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

/** The module that makes files, imported when it is first needed. */
const files = () => import('./saved-files');

const saving =
  (run: (to: Awaited<ReturnType<typeof files>>) => string | Promise<string>) => async () =>
    run(await files());

/** The entry for the offline page: a line to copy, because only Python can write that page. */
function lineOf({ name, compared }: Program): Pick<Entry, 'code' | 'run'> {
  const what = compared ? 'comparison' : 'program';
  const example = compared ? 'comparison = jaxviz.compare(…)' : 'program = %jaxviz -o …';
  const code = `${what}.save('${fileName(name)}.html')`;
  return {
    code,
    run: () =>
      copy(
        code,
        compared
          ? __('Copied the line. It saves the comparison that `%1` returns.', example)
          : __('Copied the line. It saves the program that `%1` returns.', example),
      ),
  };
}

/** Copies the address at which the viewer of a site shows the program. */
async function copyLink(program: Program, site: string): Promise<string> {
  const { linkTo } = await import('../facts/wire/link');
  return copy(
    await linkTo(program, site),
    __('Copied the link. The program is in it, and browsers send this part to no server.'),
  );
}

async function copyPicture(exported: Exported): Promise<string> {
  const png = files().then((to) => to.bitmapOf(exported));
  await clipboard().write([new ClipboardItem({ 'image/png': png })]);
  return __('Copied the picture.');
}

async function copy(text: string, sentence: string): Promise<string> {
  await clipboard().writeText(text);
  return sentence;
}

/** The clipboard. Throws a sentence if the page may not use it. */
function clipboard(): Clipboard {
  if (!navigator.clipboard) {
    throw new Error(__('Browsers allow the clipboard only over https or on localhost.'));
  }
  return navigator.clipboard;
}

/** The text of an item in the stage's text, else its details as text. */
function textOf(stage: Stage, id: Id): string {
  const range = rangeOf(stage, id);
  if (range) return stage.text.slice(range.from, range.to);
  const { title = '', facts = [] } = detailsOf(stage, id) ?? {};
  const lines = facts.map(
    ({ name, value }) => `${name}: ${value.map((part) => part.text).join(' ')}`,
  );
  return [title, ...lines].join('\n');
}

/** In a page of Sphinx: draws each output of jaxviz live, in the place of its picture. */
import texts from './jaxviz-texts.js';
import widget, { speakAs, upgraded, viewer } from './widget.js';

/** Themes of Sphinx say `data-theme`, which their reader chooses; our styles ask as JupyterLab says it. */
const root = document.documentElement;
const follow = () => {
  if (root.dataset.theme) root.dataset.jpThemeLight = String(root.dataset.theme !== 'dark');
};
new MutationObserver(follow).observe(root, { attributeFilter: ['data-theme'] });
follow();

/** The line to select first, which a tag of the cell names: `line-5`. */
const lineOf = (cell) => Number(cell?.className.match(/\btag_line-(\d+)/)?.[1]) || null;
const code = [...document.querySelectorAll('.cell_input pre')];

if (texts) await speakAs(texts);
for (const data of document.querySelectorAll('script.jaxviz-data')) {
  const shown = await upgraded(JSON.parse(data.textContent));
  const bytes = Uint8Array.from(atob(shown[shown.what]), (char) => char.charCodeAt(0));
  const line = lineOf(data.closest('.cell'));
  const traits = { ...shown, line, code, payload: new DataView(bytes.buffer) };
  const live = document.createElement('div');
  data.nextElementSibling.replaceWith(live); // what the cell printed beside it stays
  widget.render({ model: { get: (name) => traits[name] }, el: live });
}
for (const place of document.querySelectorAll('.jaxviz-viewer')) viewer(place);

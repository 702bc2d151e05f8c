/** The texts of a settings schema that JupyterLab shows, under the contexts that it looks them up. */

/** Separates a context from its text in a key. */
const APART = '\u0004';
const SAID = ['title', 'description'];

export function schemaTexts({ properties, ...schema }, where) {
  const of = (context, texts) =>
    texts.map((key) => ({ key: `${context}${APART}${key}`, more: null, where }));
  const own = SAID.map((name) => schema[name]);
  return [...of('schema', own), ...of('settings', textsWithin(properties))];
}

/** All titles and descriptions, of choices too. */
function textsWithin(value) {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, held]) =>
    SAID.includes(name) && typeof held === 'string' ? [held] : textsWithin(held),
  );
}

/** The texts of a settings schema that JupyterLab shows, under the contexts that it looks them up. */

/** What parts a context from its text in a key. */
const APART = '\u0004';

export function schemaTexts(schema, where) {
  const text = (context, key) => ({ key: `${context}${APART}${key}`, more: null, where });
  const of = (context, { title, description }) => [text(context, title), text(context, description)];
  return [
    ...of('schema', schema),
    ...Object.values(schema.properties).flatMap((property) => of('settings', property)),
  ];
}

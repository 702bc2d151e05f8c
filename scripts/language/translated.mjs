/** Faults of a file of translations, as JupyterLab's gettext reads it. */

/** A sentence for each fault; `texts` are those of the code. */
export function faultsOf(texts, { '': head, ...translated }) {
  const faults = [];
  if (!head?.domain || !head.language || !head.plural_forms) {
    faults.push('its head names no domain, language or plural forms');
  }
  for (const key of Object.keys(translated)) {
    if (!texts.has(key)) faults.push(`“${shown(key)}” is in no text of the code`);
  }
  for (const [key, { more, where }] of texts) {
    const own = translated[key];
    const fault = own ? faultOf(own, more === null ? [key] : [key, more]) : 'is missing';
    if (fault) faults.push(`“${shown(key)}” ${fault} (${where})`);
  }
  return faults;
}

/** gettext finds a plural by its two entries; Korean has one form, the second stays empty. */
function faultOf(own, english) {
  if (!Array.isArray(own) || own.length !== english.length) return 'has not as many forms';
  if (own[0] === '') return 'is not translated';
  const wanted = holes(english.at(-1).split('\u0004').at(-1));
  if (holes(own[0]) !== wanted) return `does not hold the same places (${wanted})`;
  return null;
}

/** `%1 %2` of a text. */
const holes = (text) =>
  [...new Set(text.replaceAll('%%', '').match(/%\d+|%/g) ?? [])].sort().join(' ');

const shown = (key) => key.replace('\u0004', ': ');

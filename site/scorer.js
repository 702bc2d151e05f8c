// How the site's search ranks its results: Sphinx's scores, but names of the reference, which are
// everyday words such as `share`, come after pages that have the word in their title. Pages that
// answer a question come first.
// biome-ignore lint/correctness/noUnusedVariables: Sphinx's search reads it
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 5, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([docName, , , , score]) => score + (/^(pages\/|install$|faq$)/.test(docName) ? 2 : 0),
};

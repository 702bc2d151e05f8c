/** What a kernel answers that can tell of no passes or values, for tests that ask for none. */
const refuse = () => Promise.reject(new Error('There are no passes here.'));

export const NO_PASSES = {
  passes: refuse,
  afterPass: refuse,
  changesOfPass: refuse,
  values: refuse,
};

/** A notebook that is built into the extension, as nbformat has it. */
declare module '*.ipynb' {
  const content: import('@lumino/coreutils').PartialJSONObject;
  export default content;
}

/** A notebook that is built into the extension, in nbformat's layout. */
declare module '*.ipynb' {
  const content: import('@lumino/coreutils').PartialJSONObject;
  export default content;
}

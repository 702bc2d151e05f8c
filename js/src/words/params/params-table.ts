/** What one kind of primitives' params mean: primitives, parted by blanks, and their params. */
export type Table = readonly (readonly [primitives: string, params: Record<string, About>])[];

/** Makes a sentence of a param's value; empty where that says nothing. `of` gives other params. */
export type About = (value: string, of: (param: string) => string) => string;

export const when =
  (one: string, say: () => string): About =>
  (value) =>
    value === one ? say() : '';

export const unless =
  (one: string, say: () => string): About =>
  (value) =>
    value === one ? '' : say();

/** What follows from an object alone, such as a stage or a graph, is found once and kept for as long
 * as the object lives. */

/** The same function, which remembers its results. */
export function cached<K extends WeakKey, V>(find: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, { value: V }>();
  return (key) => {
    const known = results.get(key) ?? { value: find(key) };
    results.set(key, known);
    return known.value;
  };
}

/** Values by key: cached for the life of an object, or gathered into lists. */

/** The same function, which caches its results. */
export function cached<K extends WeakKey, V>(find: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, { value: V }>();
  return (key) => {
    const result = results.get(key) ?? { value: find(key) };
    results.set(key, result);
    return result.value;
  };
}

/** Adds a value to the list of its key, which is created if needed. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** The values grouped by key, in their order; the keys in the order of their first value. */
export function gather<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const lists = new Map<K, V[]>();
  for (const value of values) append(lists, keyOf(value), value);
  return lists;
}

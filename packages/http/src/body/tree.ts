/** An object from outside: JSON, a form, or a host's parser. */
export type Tree = Readonly<Record<string, unknown>>;

/** Whether a value has named members: neither an array, nor null, nor a Buffer. */
export function isTree(value: unknown): value is Tree {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
  );
}

/** An empty tree without a prototype, so that no parameter name has a special meaning. */
export function newTree(): Record<string, unknown> {
  return { __proto__: null };
}

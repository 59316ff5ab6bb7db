const NAMES = ['id', 'refund', 'payment_method', 'external', 'transaction'] as const;

/** The names of variable parts of a pattern: `:id`, or the name of an object below another one. */
export type PathName = (typeof NAMES)[number];

/**
 * The variable parts of a path, empty if its pattern has none. Ids are raw; services answer for ids
 * that do not exist.
 */
export type PathValues = Readonly<Record<PathName, string>>;

export const NO_VALUES: PathValues = {
  id: '',
  refund: '',
  payment_method: '',
  external: '',
  transaction: '',
};

/** The name of a variable part of a pattern. @throws Error for an unknown name */
export function parsePathName(segment: string): PathName | undefined {
  if (!segment.startsWith(':')) return undefined;
  const found = NAMES.find((name) => segment === `:${name}`);
  if (found === undefined) throw new Error(`A part of a path is named ${NAMES}, not ${segment}.`);
  return found;
}

/** The names in a pattern, in their order. */
export function pathNamesIn(pattern: string): readonly PathName[] {
  return pattern.split('/').flatMap((segment) => parsePathName(segment) ?? []);
}

/** A pattern with its variable parts replaced. */
export function filledPath(pattern: string, fill: (name: PathName) => string): string {
  const segments = pattern.split('/').map((segment) => {
    const name = parsePathName(segment);
    return name === undefined ? segment : fill(name);
  });
  return segments.join('/');
}

import { nearest } from '../errors/nearest.ts';

/** The values that an option accepts. */
export interface OptionRule {
  /** The end of a sentence: `a whole number from 1 to 1,000`. */
  readonly must: string;
  accepts(value: unknown): boolean;
  /** The nested options, if it is an object. */
  readonly inside?: KnownOptions;
  /** The rule for each entry, if it is a list. */
  readonly each?: OptionRule;
}

/** The names of some options, each with the values that it accepts. */
export interface KnownOptions {
  readonly [name: string]: OptionRule;
}

type NamesOf<Options> = Options extends Options ? keyof Options : never;

/** A rule for every option of an interface: a missing one is a compile error. */
export type AllOptions<Options> = { readonly [Name in NamesOf<Options>]-?: OptionRule };

/** An option that is checked where it is used. */
export const ANY_OPTION: OptionRule = { must: 'anything', accepts: () => true };

/**
 * Refuses unknown options and options with wrong values. JavaScript does not check them:
 * `requireTLS: true` would have no effect, and `poolSize: 0` would make every request wait.
 * @param taker the function that takes them, such as `router()`
 * @throws TypeError naming the option, and the one that was probably meant, or the values it
 *   accepts
 */
export function assertOptions(taker: string, known: KnownOptions, options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const [first = ''] = Object.keys(known);
    const given = typeof options === 'string' ? 'a text' : shown(options);
    throw new TypeError(
      `${taker} takes an object of options, such as \`{ ${first} }\`; it got ${given}.`,
    );
  }
  refuseIn(taker, { known, path: '' }, options);
}

function refuseIn(
  taker: string,
  { known, path }: { readonly known: KnownOptions; readonly path: string },
  options: object,
): void {
  const [first, ...rest] = Object.keys(known);
  if (first === undefined) return;
  for (const [name, value] of Object.entries<unknown>({ ...options })) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      const meant = path + nearest(name, [first, ...rest]);
      throw new TypeError(`${taker} has no option \`${path}${name}\`; did you mean \`${meant}\`?`);
    }
    // Treated as absent: settings are often read from variables that may not be set.
    if (value !== undefined) refuseWrong(taker, { rule, path: path + name }, value);
  }
}

function refuseWrong(
  taker: string,
  { rule, path }: { readonly rule: OptionRule; readonly path: string },
  value: unknown,
): void {
  const { inside, each } = rule;
  if (!rule.accepts(value)) {
    throw new TypeError(
      `${taker}: the option \`${path}\` must be ${rule.must}; it is ${shown(value)}.`,
    );
  }
  if (Array.isArray(value)) {
    if (each === undefined) return;
    // Not `forEach`, which skips the holes of a list.
    for (const [index, entry] of value.entries()) {
      refuseWrong(taker, { rule: each, path: `${path}[${index}]` }, entry);
    }
  } else if (inside !== undefined && typeof value === 'object' && value !== null) {
    refuseIn(taker, { known: inside, path: `${path}.` }, value);
  }
}

/** Texts are not repeated: one may be a secret in the wrong place. */
function shown(value: unknown): string {
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text (not shown)';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

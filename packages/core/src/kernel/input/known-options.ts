import { nearest } from '../errors/nearest.ts';

/** What an option takes. */
export interface OptionRule {
  /** The end of a sentence: `a whole number from 1 to 1,000`. */
  readonly must: string;
  accepts(value: unknown): boolean;
  /** The options inside it, where it is an object. */
  readonly inside?: KnownOptions;
  /** What each entry takes, where it is a list. */
  readonly each?: OptionRule;
}

/** The names of some options, each with what it takes. */
export interface KnownOptions {
  readonly [name: string]: OptionRule;
}

type NamesOf<Options> = Options extends Options ? keyof Options : never;

/** Every option of an interface: a new one that is missing in a table of this type does not compile. */
export type AllOptions<Options> = { readonly [Name in NamesOf<Options>]-?: OptionRule };

/** An option that is judged where it is read. */
export const ANY_OPTION: OptionRule = { must: 'anything', accepts: () => true };

/**
 * Refuses an option that nothing reads, and one that is not what it must be. JavaScript lets
 * everything through: `requireTLS: true` would demand nothing while it looks as if it did, and
 * `poolSize: 0` would keep every request waiting.
 * @param taker what takes them, such as `router()`
 * @throws TypeError naming the option, and the one that was probably meant, or what it must be
 */
export function refuseWrongOptions(taker: string, known: KnownOptions, options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const [first = ''] = Object.keys(known);
    const given = typeof options === 'string' ? 'a text' : shown(options);
    throw new TypeError(
      `${taker} takes an object of options, such as \`{ ${first} }\`; it was given ${given}.`,
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
    // As if it were absent: settings are often read from variables that may not be set.
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
    // Not `forEach`, which would pass over the holes of a list.
    for (const [index, entry] of value.entries()) {
      refuseWrong(taker, { rule: each, path: `${path}[${index}]` }, entry);
    }
  } else if (inside !== undefined && typeof value === 'object' && value !== null) {
    refuseIn(taker, { known: inside, path: `${path}.` }, value);
  }
}

/** Texts are not repeated: one may be a secret at the wrong place. */
function shown(value: unknown): string {
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'another text';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

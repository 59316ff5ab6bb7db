import { nearest } from './nearest.ts';

/** The names of some options, each with those inside it; what is not ours to know is `{}`. */
export interface KnownOptions {
  readonly [name: string]: KnownOptions;
}

type NamesOf<Options> = Options extends Options ? keyof Options : never;

/** Every option of an interface: a new one that is missing in a table of this type does not compile. */
export type AllOptions<Options> = { readonly [Name in NamesOf<Options>]-?: KnownOptions };

/** An option of which the inside is not looked at. */
export const ANY_OPTION: KnownOptions = {};

/**
 * Refuses an option that nothing reads. JavaScript lets every name through, and `requireTLS: true`
 * would demand nothing while it looks as if it did.
 * @param taker what takes them, such as `router()`
 * @throws TypeError naming the option, and the one that was probably meant
 */
export function refuseUnknownOptions(taker: string, known: KnownOptions, options: object): void {
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
    const inside = Object.hasOwn(known, name) ? known[name] : undefined;
    if (inside === undefined) {
      const meant = path + nearest(name, [first, ...rest]);
      throw new TypeError(`${taker} has no option \`${path}${name}\`; did you mean \`${meant}\`?`);
    }
    if (typeof value === 'object' && value !== null) {
      refuseIn(taker, { known: inside, path: `${path}${name}.` }, value);
    }
  }
}

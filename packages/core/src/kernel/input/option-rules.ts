import type { KnownOptions, OptionRule } from './known-options.ts';

const number = new Intl.NumberFormat('en-US');

/** A text that is not empty. @param what its description: `a connection string` */
export function stringOption(what = 'a text'): OptionRule {
  return { must: what, accepts: (value) => typeof value === 'string' && value !== '' };
}

/** True or false. */
export const booleanOption: OptionRule = {
  must: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

/** @param what its description: `a function` with its parameters */
export function functionOption(what: string): OptionRule {
  return { must: what, accepts: (value) => typeof value === 'function' };
}

/** Any number but NaN and the infinite ones. */
export const numberOption: OptionRule = { must: 'a finite number', accepts: Number.isFinite };

/** A whole number, both bounds included. */
export function integerOption(from: number, to: number): OptionRule {
  return {
    must: `a whole number from ${number.format(from)} to ${number.format(to)}`,
    accepts: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
  };
}

/** One of some texts. */
export function enumOption(...choices: readonly string[]): OptionRule {
  return {
    must: choices.map((choice) => `"${choice}"`).join(' or '),
    accepts: (value) => choices.some((choice) => choice === value),
  };
}

/** A list whose entries all fit a rule. @param what its description: `a list of addresses` */
export function arrayOption(each: OptionRule, what: string): OptionRule {
  return { must: what, accepts: Array.isArray, each };
}

/** An object with these options and no others. */
export function objectOption(inside: KnownOptions): OptionRule {
  return {
    must: `an object with ${list(Object.keys(inside), 'or')}`,
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    inside,
  };
}

/**
 * An object, class or function that has these functions. @param what its description: `a logger`
 */
export function having(what: string, ...functions: readonly string[]): OptionRule {
  return {
    must: `${what} with ${list(functions, 'and')}`,
    accepts: (value) =>
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      functions.every((name) => typeof Reflect.get(value, name) === 'function'),
  };
}

/** A value that fits one of two rules; nested options and entries are those of the first rule. */
export function either(first: OptionRule, second: OptionRule): OptionRule {
  return {
    must: `${first.must}, or ${second.must}`,
    accepts: (value) => first.accepts(value) || second.accepts(value),
    ...(first.inside !== undefined && { inside: first.inside }),
    ...(first.each !== undefined && { each: first.each }),
  };
}

function list(names: readonly string[], conjunction: 'and' | 'or'): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

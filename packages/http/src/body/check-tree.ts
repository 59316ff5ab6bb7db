import { PaymountError } from '@paymount/core/kernel';
import { paramPath } from '../param-path.ts';
import { isTree, type Tree } from './tree.ts';

/**
 * Limits of a request's content. Metadata at its limits is 27,000 characters, each of which may
 * need 12 bytes: `%F0%9F%98%80` in a form, `\ud83d\ude00` in JSON.
 */
export const MAX_BODY_BYTES = 524_288;
const MAX_TEXT_LENGTH = 102_400;
export const MAX_PARAMETERS = 1000;
export const MAX_DEPTH = 8;
const MAX_ITEMS = 100;

/** Names that could reach an object's prototype. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** NUL, which PostgreSQL text cannot store, and unpaired surrogates. */
const UNSTORABLE = /[\0\p{Cs}]/u;

interface Tally {
  parameters: number;
  /** UTF-16 units of names and texts. */
  length: number;
}

/**
 * Refuses content that no route accepts, whatever its parameters are.
 * @returns the same parameters, with numbers above 2^53 reduced to it: no parameter accepts such a
 *   number, and JSON, which cannot store them exactly, must not make them smaller or infinite
 * @throws PaymountError `parameter_invalid`, `parameter_unknown`, `body_too_large`
 */
export function checkTree(tree: Tree): Tree {
  return checkMembers(tree, [], { parameters: 0, length: 0 });
}

function checkMembers(tree: Tree, path: readonly string[], tally: Tally): Tree {
  let clamped: Record<string, unknown> | undefined;
  for (const name of Object.keys(tree)) {
    const at = [...path, name];
    checkText(name, at, tally);
    if (FORBIDDEN_NAMES.has(name)) {
      throw new PaymountError('parameter_unknown', `No parameter may be named ${name}.`, {
        param: paramPath(at),
      });
    }
    const value = tree[name];
    const checked = checkValue(value, at, tally);
    if (checked !== value) {
      clamped ??= { ...tree };
      clamped[name] = checked;
    }
  }
  return clamped ?? tree;
}

function checkValue(value: unknown, path: readonly string[], tally: Tally): unknown {
  if (path.length > MAX_DEPTH) throw nestedTooDeeply(path);
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) refuse(path, `has ${value.length} items; at most ${MAX_ITEMS}`);
    return value.map((item: unknown, index) => checkValue(item, [...path, `${index}`], tally));
  }
  if (isTree(value)) return checkMembers(value, path, tally);
  tally.parameters += 1;
  if (tally.parameters > MAX_PARAMETERS) {
    throw new PaymountError(
      'parameter_invalid',
      `The request has more than ${MAX_PARAMETERS} parameters.`,
    );
  }
  if (typeof value === 'string') checkText(value, path, tally);
  if (typeof value === 'number' && !Number.isNaN(value)) {
    return Math.max(Math.min(value, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
  }
  return value;
}

function checkText(text: string, path: readonly string[], tally: Tally): void {
  tally.length += text.length;
  if (tally.length > MAX_TEXT_LENGTH) throw new PaymountError('body_too_large');
  if (UNSTORABLE.test(text)) refuse(path, 'contains a NUL or half of a surrogate pair');
}

/** @param path of a value that is below the last level; only the first names are shown */
export function nestedTooDeeply(path: readonly string[]): PaymountError {
  return invalid(path.slice(0, MAX_DEPTH + 1), `is nested deeper than ${MAX_DEPTH} levels`);
}

function refuse(path: readonly string[], fault: string): never {
  throw invalid(path, fault);
}

function invalid(path: readonly string[], fault: string): PaymountError {
  const param = paramPath(path);
  return new PaymountError('parameter_invalid', `${param} ${fault}.`, { param });
}

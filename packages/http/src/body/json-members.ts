import { PaymountError } from '@paymount/core/kernel';
import { paramPath } from '../param-path.ts';
import { endOfString, isQuote } from './json-tokens.ts';
import { isTree } from './tree.ts';

/** The total number of members of all objects in a value. */
export function countMembers(value: unknown): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object') open.push(item);
    } else if (isTree(next)) {
      for (const name of Object.keys(next)) {
        count += 1;
        if (typeof next[name] === 'object') open.push(next[name]);
      }
    }
  }
  return count;
}

/** An object or array that is being read; only objects have `names`. */
interface Open {
  readonly names?: Set<string>;
  /** The current member or item. */
  at: string | number;
  isNameNext: boolean;
}

/**
 * Finds the first duplicate member name.
 * @param text a JSON text in which one does
 */
export function duplicateMember(text: string): PaymountError {
  const open: Open[] = [];
  for (let at = 0; at < text.length; ) {
    const inner = open.at(-1);
    if (isQuote(text, at)) {
      const end = endOfString(text, at);
      if (inner?.names !== undefined && inner.isNameNext) {
        inner.at = nameIn(text.slice(at, end));
        if (inner.names.has(inner.at)) return duplicate(open.map((each) => each.at));
        inner.names.add(inner.at);
        inner.isNameNext = false;
      }
      at = end;
      continue;
    }
    const character = text.charAt(at);
    if (character === '{') open.push({ names: new Set(), at: '', isNameNext: true });
    else if (character === '[') open.push({ at: 0, isNameNext: false });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ',' && inner !== undefined) {
      if (typeof inner.at === 'number') inner.at += 1;
      else inner.isNameNext = true;
    }
    at += 1;
  }
  return new PaymountError('parameter_duplicate');
}

/** As it is meant: `"\u0061"` is `a`. */
function nameIn(token: string): string {
  const name: unknown = JSON.parse(token);
  return String(name);
}

function duplicate(path: readonly (string | number)[]): PaymountError {
  const param = paramPath(path);
  return new PaymountError(
    'parameter_duplicate',
    `${param} stands more than once in its JSON object; it takes one value.`,
    { param },
  );
}

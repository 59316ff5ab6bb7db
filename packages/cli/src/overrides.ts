import { usage } from './command-line/command-failure.ts';

const PATH = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
const MAX_DEPTH = 8;
const RESERVED = ['__proto__', 'constructor', 'prototype'];

interface Tree {
  [name: string]: unknown;
}

/**
 * Parses `--override` into a tree: `card.brand=visa` is `{ card: { brand: 'visa' } }`. A value that
 * is valid JSON is parsed (`5000`, `true`, `null`, `"5000"`); any other is a string. Values in
 * metadata are always strings.
 * @throws CommandFailure 2
 */
export function readOverrides(overrides: readonly string[]): Tree {
  const tree: Tree = {};
  for (const override of overrides) {
    const equals = override.indexOf('=');
    const path = override.slice(0, Math.max(equals, 0));
    const names = path.split('.');
    const isReserved = names.some((name) => RESERVED.includes(name));
    if (!PATH.test(path) || names.length > MAX_DEPTH || isReserved) {
      throw usage('--override takes path=value, such as amount=5000 or metadata.order=6735.');
    }
    const isText = names[0] === 'metadata' && names.length > 1;
    place(tree, names, readValue(override.slice(equals + 1), isText));
  }
  return tree;
}

function place(tree: Tree, names: readonly string[], value: unknown): void {
  let inner = tree;
  for (const name of names.slice(0, -1)) {
    const next = Object.hasOwn(inner, name) ? inner[name] : {};
    if (!isTree(next)) throw contradicting(names);
    inner[name] = next;
    inner = next;
  }
  const last = names.at(-1) ?? '';
  if (Object.hasOwn(inner, last)) throw contradicting(names);
  inner[last] = value;
}

function contradicting(names: readonly string[]): Error {
  return usage(`--override sets ${names.join('.')}, or what is in it, twice.`);
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readValue(text: string, isText: boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isText && typeof value !== 'string' ? text : value;
  } catch {
    return text;
  }
}

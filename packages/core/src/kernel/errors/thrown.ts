import { isError } from './is-error.ts';

// JavaScript code can throw any value: objects without a prototype, errors whose message is not a
// string, proxies that throw. The functions here never throw.

/** A property of any value; undefined if it does not exist or cannot be read. */
export function readProperty(thrown: unknown, name: string): unknown {
  try {
    return isHolder(thrown) ? Reflect.get(thrown, name) : undefined;
  } catch {
    return undefined;
  }
}

/** A property of the thrown value; undefined unless it is a non-empty string. */
export function readTextProperty(thrown: unknown, name: string): string | undefined {
  const value = readProperty(thrown, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The message of the thrown value; empty for an error without a message. */
export function errorMessage(thrown: unknown): string {
  if (!isHolder(thrown)) return String(thrown);
  const unnamed = typeof thrown === 'object' ? 'an object' : 'a function';
  return (
    readTextProperty(thrown, 'message') ?? (isError(thrown) ? '' : `${unnamed} without a message`)
  );
}

/**
 * The class name of an error, because database errors have the name `error`. Undefined for values
 * without a class.
 */
export function errorName(thrown: unknown): string | undefined {
  const name = readTextProperty(thrown, 'name');
  return name === undefined || name === 'error'
    ? readTextProperty(readProperty(thrown, 'constructor'), 'name')
    : name;
}

function isHolder(thrown: unknown): thrown is object {
  return (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
}

import { isError } from './is-error.ts';

// JavaScript code can throw any value: objects without a prototype, errors whose message is not a
// string, proxies that throw. The functions here never throw.

/** A property of the thrown value; undefined if it does not exist or cannot be read. */
export function propertyOf(thrown: unknown, name: string): unknown {
  try {
    return isHolder(thrown) ? Reflect.get(thrown, name) : undefined;
  } catch {
    return undefined;
  }
}

/** A property of the thrown value; undefined unless it is a non-empty string. */
export function textOf(thrown: unknown, name: string): string | undefined {
  const value = propertyOf(thrown, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The message of the thrown value; empty for an error without a message. */
export function messageOf(thrown: unknown): string {
  if (!isHolder(thrown)) return String(thrown);
  const unnamed = typeof thrown === 'object' ? 'an object' : 'a function';
  return textOf(thrown, 'message') ?? (isError(thrown) ? '' : `${unnamed} without a message`);
}

/**
 * The class name of an error, because database errors have the name `error`. Undefined for values
 * without a class.
 */
export function nameOf(thrown: unknown): string | undefined {
  const name = textOf(thrown, 'name');
  return name === undefined || name === 'error'
    ? textOf(propertyOf(thrown, 'constructor'), 'name')
    : name;
}

function isHolder(thrown: unknown): thrown is object {
  return (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
}

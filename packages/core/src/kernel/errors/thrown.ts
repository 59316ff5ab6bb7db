import { isError } from './is-error.ts';

// JavaScript throws any value: objects without a prototype, errors whose message is no text, proxies
// that refuse every question. Nothing here throws.

/** A property of what was thrown; undefined when there is none, or it cannot be read. */
export function propertyOf(thrown: unknown, name: string): unknown {
  try {
    return isHolder(thrown) ? Reflect.get(thrown, name) : undefined;
  } catch {
    return undefined;
  }
}

/** A property of what was thrown; undefined unless it is a text that is not empty. */
export function textOf(thrown: unknown, name: string): string | undefined {
  const value = propertyOf(thrown, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What was thrown, in words; empty for an error without a message. */
export function messageOf(thrown: unknown): string {
  if (!isHolder(thrown)) return String(thrown);
  const unnamed = typeof thrown === 'object' ? 'an object' : 'a function';
  return textOf(thrown, 'message') ?? (isError(thrown) ? '' : `${unnamed} without a message`);
}

/** The name of a database's error is `error`; its class says more. Undefined for what has none. */
export function nameOf(thrown: unknown): string | undefined {
  const name = textOf(thrown, 'name');
  return name === undefined || name === 'error'
    ? textOf(propertyOf(thrown, 'constructor'), 'name')
    : name;
}

function isHolder(thrown: unknown): thrown is object {
  return (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
}

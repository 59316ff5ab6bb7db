import type { PortValue } from './host-transaction.ts';

const CAST = /\$(\d+)::([a-z_]+(?: precision)?(?:\[\])?)/g;
const PLACEHOLDER = /\$(\d+)(?:::[a-z_]+(?: precision)?(?:\[\])?)?/g;

/** A statement in the form that a port gets. */
export interface PortedStatement {
  readonly text: string;
  readonly values: readonly PortValue[];
}

/**
 * Drivers serialize times, arrays, bytes and JSON differently, some by the type that the server
 * reports for a placeholder. So a value with a cast in our SQL is sent as text, and the server
 * converts it. Arrays are text already (`arrayLiteral`). A value without a cast is a string, a
 * number, a boolean or a time.
 * @throws TypeError for a value that needs a cast
 */
export function portedStatement(text: string, values: readonly unknown[]): PortedStatement {
  const types = new Map<string, string>();
  for (const [, place = '', type = ''] of text.matchAll(CAST)) types.set(place, type);
  return {
    text: text.replaceAll(PLACEHOLDER, (found, place: string) => {
      const type = types.get(place);
      return type === undefined ? found : `$${place}::text::${type}`;
    }),
    values: values.map((value, index) =>
      types.has(String(index + 1)) ? toText(value) : toPlain(value),
    ),
  };
}

function toPlain(value: unknown): PortValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return String(value);
  if (isPlain(value)) return value;
  throw new TypeError('This value needs a type in the text of its statement.');
}

function isPlain(value: unknown): value is string | number | boolean | Date {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date;
}

function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value);
}

import { z } from 'zod';
import { PaymountError } from '../errors/paymount-error.ts';

export type Metadata = Readonly<Record<string, string>>;

const MAX_KEYS = 50;
const MAX_KEY_LENGTH = 40;
const MAX_VALUE_LENGTH = 500;

/** `metadata[k]=v` sets, an empty value deletes the key, `metadata=` clears all. */
export const MetadataInput = z.union([z.literal(''), z.record(z.string(), z.string())]).meta({
  id: 'MetadataInput',
  description:
    'Up to 50 keys of 40 characters, values of 500. An empty value deletes its key; an empty text ' +
    'in place of the object deletes all.',
  // Generated clients want one type.
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, {
      type: 'object',
      maxProperties: MAX_KEYS,
      propertyNames: { minLength: 1, maxLength: MAX_KEY_LENGTH },
      additionalProperties: { type: 'string', maxLength: MAX_VALUE_LENGTH },
    });
  },
});

/**
 * Merges the caller's metadata into the stored metadata.
 * @param at the parameter path of the caller's metadata
 * @throws PaymountError `metadata_limit_exceeded`, naming the key
 */
export function mergeMetadata(
  stored: Metadata,
  input: '' | Metadata | undefined,
  at = 'metadata',
): Metadata {
  if (input === undefined) return stored;
  if (input === '') return {};
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(input)) {
    if (value === '') merged.delete(key);
    else merged.set(key, value);
    assertEntry(key, value, at);
  }
  if (merged.size > MAX_KEYS) {
    throw new PaymountError(
      'metadata_limit_exceeded',
      `Metadata would hold ${merged.size} keys; at most ${MAX_KEYS} are kept.`,
      { param: at },
    );
  }
  return Object.fromEntries(merged);
}

function assertEntry(key: string, value: string, at: string): void {
  if (key === '' || codePoints(key) > MAX_KEY_LENGTH) {
    throw new PaymountError(
      'metadata_limit_exceeded',
      `A metadata key has 1-${MAX_KEY_LENGTH} characters; this one has ${codePoints(key)}.`,
      { param: at },
    );
  }
  if (codePoints(value) > MAX_VALUE_LENGTH) {
    throw new PaymountError(
      'metadata_limit_exceeded',
      `A metadata value has at most ${MAX_VALUE_LENGTH} characters; this one has ${codePoints(value)}.`,
      { param: `${at}[${key}]` },
    );
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

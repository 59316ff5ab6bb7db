import { z } from 'zod';

const ERROR_HINTS = z.registry<{ readonly words: string }>();

/**
 * Sets the words in which errors describe the values that a schema accepts, where they are clearer
 * than those derived from its shape. Schemas derived from it do not inherit them.
 * @param words the end of a sentence: `an ISO 4217 code in lower case, such as eur`
 */
export function withErrorHint<Schema extends z.ZodType>(schema: Schema, words: string): Schema {
  ERROR_HINTS.add(schema, { words });
  return schema;
}

/** The words that were set for a schema. */
export function findErrorHint(schema: z.core.$ZodType): string | undefined {
  return ERROR_HINTS.get(schema)?.words;
}

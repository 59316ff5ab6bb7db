import { z } from 'zod';

const ERROR_HINTS = z.registry<{ readonly words: string }>();

/**
 * Gives a schema the words in which its refusal says what the parameter must be, where they are
 * clearer than those that follow from its shape. Schemas that are made from it do not inherit them.
 * @param words the end of a sentence: `an ISO 4217 code in lower case, such as eur`
 */
export function withErrorHint<Schema extends z.ZodType>(schema: Schema, words: string): Schema {
  ERROR_HINTS.add(schema, { words });
  return schema;
}

/** The words that a schema was given. */
export function errorHintOf(schema: z.core.$ZodType): string | undefined {
  return ERROR_HINTS.get(schema)?.words;
}

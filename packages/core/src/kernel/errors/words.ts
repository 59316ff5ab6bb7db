import { z } from 'zod';

const WORDS = z.registry<{ readonly words: string }>();

/**
 * Gives a schema the words in which its refusal says what the parameter must be, where they are
 * clearer than those that follow from its shape. Schemas that are made from it do not inherit them.
 * @param words the end of a sentence: `an ISO 4217 code in lower case, such as eur`
 */
export function inWords<Schema extends z.ZodType>(schema: Schema, words: string): Schema {
  WORDS.add(schema, { words });
  return schema;
}

/** The words that a schema was given. */
export function wordsOf(schema: z.core.$ZodType): string | undefined {
  return WORDS.get(schema)?.words;
}

import {
  createLanguages,
  type Languages,
  type TextOverrides,
} from '../../kernel/texts/languages.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import type { InvoiceTexts } from './invoice-texts.ts';

/**
 * What customers read, by language, with the texts of the host.
 * @param option where those are, for errors
 * @throws TypeError as `createLanguages`
 */
export function createCustomerLanguages(
  overrides: Readonly<Record<string, TextOverrides<InvoiceTexts>>> | undefined,
  option: string,
): Languages<InvoiceTexts> {
  return createLanguages({ en, de }, overrides, option);
}

import { createLanguages, type Languages, type TextOverrides } from '@paymount/core/kernel';
import { de } from './de.ts';
import { en } from './en.ts';
import type { PageTexts } from './page-texts.ts';

/** The texts of the pages by language, with those of the host. @throws TypeError as `createLanguages` */
export function createPageLanguages(
  overrides?: Readonly<Record<string, TextOverrides<PageTexts>>>,
): Languages<PageTexts> {
  return createLanguages({ en, de }, overrides);
}

import { assertTexts } from './assert-texts.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import type { PageTexts } from './page-texts.ts';

/** Texts of the host: for a language that is built in, or for a new one, whose gaps are English. */
export type TextOverrides = Partial<Omit<PageTexts, Group>> & {
  readonly [Name in Group]?: Partial<PageTexts[Name]>;
};

/** The texts that are in groups. */
type Group = 'scopes' | 'applications' | 'newLogin' | 'problems' | 'errors';

/** The texts of the pages by language: `de`, `pt-br`. */
export type Languages = ReadonlyMap<string, PageTexts>;

/** RFC 5646, section 4.4.1: longer tags are not in use. */
const MAX_TAG = 35;

const BUILT_IN: Readonly<Record<string, PageTexts>> = { en, de };

/**
 * The built-in languages with the host's texts. A text that the host does not have is that of the
 * next wider language: for `de-AT` that of `de`, then that of `en`.
 * @param overrides by language tag
 * @throws TypeError for a tag that names no language, and for a text that has no such name or not the
 *   placeholders of the English one
 */
export function createLanguages(
  overrides: Readonly<Record<string, TextOverrides>> = {},
): Languages {
  const languages = new Map<string, PageTexts>(Object.entries(BUILT_IN));
  const tagged = Object.entries(overrides).map(([tag, texts]) => ({ tag: requireTag(tag), texts }));
  // The wider tags first, because others build on them.
  for (const { tag, texts } of tagged.toSorted((a, b) => a.tag.length - b.tag.length)) {
    assertTexts(texts, tag);
    const base = widerTags(tag).flatMap((wider) => languages.get(wider) ?? [])[0] ?? en;
    languages.set(tag, {
      ...base,
      ...texts,
      scopes: { ...base.scopes, ...texts.scopes },
      applications: { ...base.applications, ...texts.applications },
      newLogin: { ...base.newLogin, ...texts.newLogin },
      problems: { ...base.problems, ...texts.problems },
      errors: { ...base.errors, ...texts.errors },
    });
  }
  return languages;
}

/** A tag, and what is left of it from the right: `de-at`, `de` (RFC 4647, section 3.4). */
function widerTags(tag: string): readonly string[] {
  const parts = tag.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/**
 * The language that a browser prefers (RFC 9110, section 12.5.4; RFC 4647, section 3.4).
 * @param header `Accept-Language`
 */
export function chooseLanguage(
  languages: Languages,
  header = '',
): { readonly language: string; readonly texts: PageTexts } {
  for (const range of preferred(header)) {
    for (const tag of widerTags(range)) {
      const texts = languages.get(tag);
      if (texts !== undefined) return { language: tag, texts };
    }
  }
  return { language: 'en', texts: languages.get('en') ?? en };
}

/** In lower case, as it is compared with what browsers send. */
function requireTag(tag: string): string {
  try {
    return (Intl.getCanonicalLocales(tag)[0] ?? tag).toLowerCase();
  } catch (cause) {
    throw new TypeError(`\`appearance.texts\`: ${tag} is no language, such as de or pt-BR.`, {
      cause,
    });
  }
}

function preferred(header: string): readonly string[] {
  return header
    .split(',')
    .slice(0, 20)
    .map((part) => {
      const [range = '', weight = 'q=1'] = part.toLowerCase().split(';');
      return { range: range.trim(), quality: Number(weight.trim().slice('q='.length)) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ range }) => range)
    .filter((range) => range.length <= MAX_TAG);
}

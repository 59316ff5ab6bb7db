import { assertTexts } from './assert-texts.ts';

/** Texts of a host: for a language that is built in, or for a new one, whose gaps are English. */
export type TextOverrides<Texts> = {
  readonly [Name in keyof Texts]?: Texts[Name] extends string ? string : Partial<Texts[Name]>;
};

/** Texts by language: `de`, `pt-br`. */
export type Languages<Texts> = ReadonlyMap<string, Texts>;

/** The texts of one language. */
export interface Language<Texts> {
  readonly language: string;
  readonly texts: Texts;
}

/** The languages that are there without the host. */
type BuiltIn<Texts> = Readonly<Record<string, Texts>> & { readonly en: Texts };

/** RFC 5646, section 4.4.1: longer tags are not in use. */
const MAX_TAG = 35;

/**
 * The built-in languages with the host's texts. A text that the host does not have is that of the
 * next wider language: for `de-AT` that of `de`, then that of `en`.
 * @param overrides by language tag
 * @param option where they are, such as `appearance.texts`
 * @throws TypeError for a tag that names no language, and for a text that has no such name or not the
 *   placeholders of the English one
 */
export function createLanguages<Texts extends object>(
  builtIn: BuiltIn<Texts>,
  overrides: Readonly<Record<string, TextOverrides<Texts>>> = {},
  option = 'appearance.texts',
): Languages<Texts> {
  const languages = new Map<string, Texts>(Object.entries(builtIn));
  const tagged = Object.entries(overrides).map(([tag, texts]) => ({
    tag: requireTag(tag, option),
    texts,
  }));
  // The wider tags first, because others build on them.
  for (const { tag, texts } of tagged.toSorted((a, b) => a.tag.length - b.tag.length)) {
    assertTexts(texts, builtIn.en, `${option}.${tag}`);
    const base = widerTags(tag).flatMap((wider) => languages.get(wider) ?? [])[0] ?? builtIn.en;
    languages.set(tag, merged(base, texts));
  }
  return languages;
}

/** The texts, of which a group may have others. */
function merged<Texts extends object>(base: Texts, texts: TextOverrides<Texts>): Texts {
  const given = new Map<string, unknown>(Object.entries(texts));
  const all = Object.entries(base).map(([name, text]: [string, unknown]) => {
    const own = given.get(name) ?? text;
    return [name, isGroup(text) && isGroup(own) ? { ...text, ...own } : own] as const;
  });
  return Object.assign({}, base, Object.fromEntries(all));
}

function isGroup(text: unknown): text is object {
  return typeof text === 'object' && text !== null;
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
export function chooseLanguage<Texts>(languages: Languages<Texts>, header = ''): Language<Texts> {
  return findLanguage(languages, preferred(header));
}

/**
 * The first of some languages that there is, or of one that is wider; English if there is none.
 * @param tags the preferred one first
 */
export function findLanguage<Texts>(
  languages: Languages<Texts>,
  tags: readonly string[],
): Language<Texts> {
  for (const language of [...tags.flatMap((tag) => widerTags(tag.toLowerCase())), 'en']) {
    const texts = languages.get(language);
    if (texts !== undefined) return { language, texts };
  }
  throw new TypeError('The texts in English are missing.');
}

/** In lower case, as it is compared with what browsers send. */
function requireTag(tag: string, option: string): string {
  try {
    return (Intl.getCanonicalLocales(tag)[0] ?? tag).toLowerCase();
  } catch (cause) {
    throw new TypeError(`\`${option}\`: ${tag} is no language, such as de or pt-BR.`, { cause });
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

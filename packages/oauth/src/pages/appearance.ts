import { createHash } from 'node:crypto';
import type { Languages, TextOverrides } from '@paymount/core/kernel';
import { logoSource, type PageColors, toPageColors } from '@paymount/http';
import { createPageLanguages } from './texts/languages.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** The looks of the pages on which merchants approve platforms. */
export interface AppearanceOptions {
  /** The name of the host's product, at the top of each page. */
  readonly name?: string;
  /** An https or `data:image/` address of a logo, shown 40 pixels high. */
  readonly logoUrl?: string;
  /** As `#rrggbb`; texts must have a contrast of at least 4.5 to what is behind them. */
  readonly colors?: Partial<PageColors>;
  /**
   * Texts by language, such as `de`; they replace or add to the built-in English and German. Each
   * has the placeholders of the English one. Texts of `de-AT` add to those of `de`.
   */
  readonly texts?: Readonly<Record<string, TextOverrides<PageTexts>>>;
}

/** The looks, checked and ready to use. */
export interface Appearance {
  readonly name?: string;
  readonly logoUrl?: string;
  readonly languages: Languages<PageTexts>;
  readonly css: string;
  /** The parts of the content security policy that the looks need. */
  readonly csp: string;
}

/**
 * Checks the looks that a host chose.
 * @throws TypeError for a color that is unknown or not `#rrggbb`, colors that cannot be read on each
 *   other, a logo that is not an https or `data:image/` address, and texts that cannot be used
 */
export function createAppearance(options: AppearanceOptions = {}): Appearance {
  const { name, logoUrl, texts } = options;
  const css = styles(toPageColors(options.colors));
  const hash = createHash('sha256').update(css).digest('base64');
  const images = logoUrl === undefined ? '' : `; img-src ${logoSource(logoUrl)}`;
  return {
    ...(name === undefined ? {} : { name }),
    ...(logoUrl === undefined ? {} : { logoUrl }),
    languages: createPageLanguages(texts),
    css,
    csp: `default-src 'none'; style-src 'sha256-${hash}'${images}; frame-ancestors 'none'; base-uri 'none'`,
  };
}

function styles({ background, text, accent, accentText }: PageColors): string {
  return `
:root { --background: ${background}; --text: ${text}; --accent: ${accent}; --accent-text: ${accentText} }
* { box-sizing: border-box }
body { background: var(--background); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 0 }
main { margin: 0 auto; max-width: 30rem; padding: 1.5rem 1rem 3rem }
header { align-items: center; display: flex; font-weight: 600; gap: 0.75rem; min-height: 40px }
header img { height: 40px; max-width: 12rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1.5rem 0 0.5rem; overflow-wrap: anywhere }
fieldset { border: 1px solid; border-radius: 8px; margin: 1.5rem 0; padding: 0.5rem 1rem 1rem }
legend { font-weight: 600; overflow-wrap: anywhere; padding: 0 0.25rem }
p { overflow-wrap: anywhere }
label { display: block }
ul { list-style: none; margin: 0; padding: 0 }
ul.bullets { list-style: disc; padding-left: 1.5rem }
a { color: inherit; display: inline-block; padding: 0.25rem 0 }
section { border-top: 1px solid; margin-top: 1.5rem }
li label { align-items: baseline; display: flex; gap: 0.75rem; padding: 0.4rem 0 }
input[type=checkbox] { height: 1.1rem; width: 1.1rem }
select { background: var(--background); border: 1px solid; border-radius: 6px; color: var(--text); font: inherit; margin-top: 0.25rem; padding: 0.6rem; width: 100% }
.badge { border: 2px solid; border-radius: 6px; display: inline-block; font-weight: 600; padding: 0 0.5rem }
.money { font-weight: 600 }
.error { border-left: 4px solid; font-weight: 600; padding-left: 0.75rem }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem }
button { background: var(--background); border: 2px solid var(--text); border-radius: 8px; color: var(--text); cursor: pointer; flex: 1 1 8rem; font: inherit; font-weight: 600; min-height: 48px; padding: 0.5rem 1rem }
button[value=approve] { background: var(--accent); color: var(--accent-text) }
:focus-visible { outline: 3px solid var(--text); outline-offset: 2px }
`;
}

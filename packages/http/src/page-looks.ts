/** The colors of pages. */
export interface PageColors {
  readonly background: string;
  readonly text: string;
  /** Of the button or the link that leads on. */
  readonly accent: string;
  readonly accentText: string;
}

const COLORS: PageColors = {
  background: '#ffffff',
  text: '#1a1f36',
  accent: '#1f4fd8',
  accentText: '#ffffff',
};
/** WCAG 2.2, success criterion 1.4.3. */
const MIN_CONTRAST = 4.5;
const COLOR = /^#[0-9a-f]{6}$/i;

/**
 * The colors of a host, and the built-in ones for the others.
 * @param option where they are, such as `appearance`
 * @throws TypeError for a color that is unknown or not `#rrggbb`, and colors that cannot be read on
 *   each other
 */
export function toPageColors(
  given: Partial<PageColors> = {},
  option: string = 'appearance',
): PageColors {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(COLORS, name));
  if (unknown !== undefined) {
    const known = Object.keys(COLORS).join(', ');
    throw new TypeError(`\`${option}.colors.${unknown}\` is unknown. Known: ${known}.`);
  }
  const colors = { ...COLORS, ...given };
  assertReadable(colors, option, ['text', 'background']);
  assertReadable(colors, option, ['accentText', 'accent']);
  return colors;
}

/**
 * The source of a logo, for a content security policy.
 * @throws TypeError for one that is not an https or `data:image/` address
 */
export function logoSource(logoUrl: string, option: string = 'appearance'): string {
  if (logoUrl.startsWith('data:image/')) return 'data:';
  if (URL.canParse(logoUrl) && new URL(logoUrl).protocol === 'https:') {
    return new URL(logoUrl).origin;
  }
  throw new TypeError(`\`${option}.logoUrl\` is an https or \`data:image/\` address.`);
}

function assertReadable(
  colors: PageColors,
  option: string,
  [text, background]: readonly [keyof PageColors, keyof PageColors],
): void {
  for (const name of [text, background]) {
    if (COLOR.test(colors[name])) continue;
    throw new TypeError(`\`${option}.colors.${name}\` is a color such as #1f4fd8.`);
  }
  const contrast = contrastOf(colors[text], colors[background]);
  if (contrast >= MIN_CONTRAST) return;
  throw new TypeError(
    `\`${option}.colors\`: ${text} on ${background} has a contrast of ${contrast.toFixed(1)}; at least ${MIN_CONTRAST} can be read.`,
  );
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

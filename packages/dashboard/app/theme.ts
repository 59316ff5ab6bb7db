import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** The theme; @param color of the host's product, as `#rrggbb` */
export function themeFor(color: string | null | undefined): MantineThemeOverride {
  return createTheme({
    // The darker shades have enough contrast for text on white.
    primaryColor: color ? 'host' : 'blue',
    primaryShade: color ? { light: 6, dark: 6 } : { light: 8, dark: 8 },
    ...(color && { colors: { host: shadesOf(color) } }),
    autoContrast: true,
    fontFamily: FONT,
    headings: { fontFamily: FONT },
    cursorType: 'pointer',
    respectReducedMotion: true,
    defaultRadius: 'md',
  });
}

/** Quiet text of Mantine is too pale to read: WCAG asks for a contrast of 4.5. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#545b63',
    '--mantine-color-placeholder': '#6b737c',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a6a9ad',
    '--mantine-color-placeholder': '#8f9398',
    '--mantine-color-error': '#ff8787',
  },
});

/** Ten shades of a color, from pale to dark; the color itself is the seventh. */
function shadesOf(color: string): MantineColorsTuple {
  const tint = (share: number) => mix(color, 255, share);
  const shade = (share: number) => mix(color, 0, share);
  return [
    tint(0.92),
    tint(0.82),
    tint(0.66),
    tint(0.5),
    tint(0.34),
    tint(0.17),
    color,
    shade(0.15),
    shade(0.3),
    shade(0.45),
  ] as unknown as MantineColorsTuple;
}

function mix(color: string, with_: 0 | 255, share: number): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const mixed = channels.map((channel) => Math.round(channel + (with_ - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

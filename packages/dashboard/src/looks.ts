/** The looks of the dashboard. */
export interface DashboardLooks {
  /** The name of the host's product, at the top of each page. */
  readonly name?: string;
  /** An https or `data:image/` address of a logo. */
  readonly logoUrl?: string;
  /** Of buttons and links, as `#rrggbb`. */
  readonly color?: string;
}

const COLOR = /^#[0-9a-f]{6}$/i;

/**
 * Checks the looks that a host chose.
 * @returns the source of the logo for a content security policy; undefined without one
 * @throws TypeError for a color that is not `#rrggbb`, and a logo that is not an https or
 *   `data:image/` address
 */
export function checkLooks({ logoUrl, color }: DashboardLooks): string | undefined {
  if (color !== undefined && !COLOR.test(color)) {
    throw new TypeError('`appearance.color` is a color such as #1f4fd8.');
  }
  if (logoUrl === undefined || logoUrl.startsWith('data:image/')) return undefined;
  if (URL.canParse(logoUrl) && new URL(logoUrl).protocol === 'https:') {
    return new URL(logoUrl).origin;
  }
  throw new TypeError('`appearance.logoUrl` is an https or `data:image/` address.');
}

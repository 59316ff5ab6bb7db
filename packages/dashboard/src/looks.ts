/** The looks of the dashboard. */
export interface DashboardLooks {
  /** The name of the host's product, at the top of each page. */
  readonly name?: string;
  /**
   * A path of your app, such as `/logo.svg`, or a `data:image/` address: pages load nothing from
   * other origins.
   */
  readonly logoUrl?: string;
  /** Of buttons and links, as `#rrggbb`. */
  readonly color?: string;
}

const COLOR = /^#[0-9a-f]{6}$/i;

/** One slash: two, or a slash and a backslash, begin a host. Browsers leave out tabs and line ends. */
const LOGO = /^(?:\/(?![/\\])[\x21-\x7e]*|data:image\/[\x21-\x7e]+)$/;

/**
 * Checks the looks that a host chose.
 * @throws TypeError for a color that is not `#rrggbb`, and a logo that is neither a path nor a
 *   `data:image/` address
 */
export function checkLooks({ logoUrl, color }: DashboardLooks): void {
  if (color !== undefined && !COLOR.test(color)) {
    throw new TypeError('`appearance.color` is a color such as #1f4fd8.');
  }
  if (logoUrl === undefined || LOGO.test(logoUrl)) return;
  throw new TypeError(
    '`appearance.logoUrl` is a path of your app such as /logo.svg, or a `data:image/` address: the dashboard loads nothing from other origins.',
  );
}

/** Where the dashboard is mounted, with a slash at its end. */
export const MOUNT = new URL(document.baseURI);

/** The path of the mount, with a slash at its end. */
export const MOUNT_PATH = MOUNT.pathname;

/** The nonce with which the Content-Security-Policy of this page accepts styles. */
export const STYLE_NONCE =
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** The address of a file or route below the mount. */
export function belowMount(path: string): string {
  return new URL(path, MOUNT).href;
}

/** Where the host's login sends the user, and from there back to this page. */
export function loginAddress(reason: 'login' | 'reauthenticate'): string {
  const { pathname, search } = window.location;
  const to = `${pathname.slice(MOUNT_PATH.length)}${search}`;
  return belowMount(`login?${new URLSearchParams({ to, reason })}`);
}

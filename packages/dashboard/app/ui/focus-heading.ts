/** The page whose heading got the focus last. */
let focused: string | undefined;

/**
 * Gives the focus to the heading of a page that was opened, so that screen readers begin there. When
 * the same page shows its object after the signs of loading, a focus that the user has moved
 * meanwhile stays.
 */
export function focusHeading(heading: HTMLElement | null, pathname: string): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (pathname === focused && !isLost) return;
  focused = pathname;
  heading?.focus({ preventScroll: true });
}

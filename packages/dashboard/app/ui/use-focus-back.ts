import { useEffect } from 'react';

/**
 * Gives the focus back when a dialog closes, also when it is removed from the page instead: to what
 * opened it, or to the heading if that is gone, such as an entry of a menu.
 */
export function useFocusBack(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const opener = document.activeElement;
    return () => {
      const target = opener?.isConnected ? opener : document.querySelector('h1');
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    };
  }, [isOpen]);
}

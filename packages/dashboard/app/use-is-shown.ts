import { type RefObject, useEffect, useRef } from 'react';

/**
 * Whether a component is still on the page, for code that waits: an answer must not take the user
 * away from a page that was opened meanwhile.
 */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

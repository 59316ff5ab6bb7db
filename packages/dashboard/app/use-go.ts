import { useNavigate } from '@tanstack/react-router';
import { usePlace } from './api/place.ts';
import type { Address } from './use-address.ts';
import { useIsShown } from './use-is-shown.ts';

/**
 * Opens a page of the same account and environment, such as `keys`. Nothing happens if the user has
 * left meanwhile, which another account or environment is, too.
 */
export function useGo(): (page: string, search?: Address) => void {
  const { path } = usePlace();
  const navigate = useNavigate();
  const isShown = useIsShown();
  return (page, search = {}) => {
    // The router cannot know the filters of a page whose path is put together.
    if (isShown.current) void navigate({ to: `${path}/${page}`, search: search as never });
  };
}

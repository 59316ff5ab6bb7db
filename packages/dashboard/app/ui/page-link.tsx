import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../api/place.ts';
import type { Address } from '../use-address.ts';

interface PageLinkProps {
  /** Below the account and environment, such as `keys`. */
  readonly page: string;
  /** The filters that it opens with. */
  readonly search?: Address;
  /** Whether the link stands in a sentence: the color alone does not show it there. */
  readonly isInText?: boolean;
  readonly children: string;
}

/** A link to a page of the same account and environment. */
export function PageLink({ page, search = {}, isInText = false, children }: PageLinkProps) {
  const { path } = usePlace();
  return (
    <Anchor
      component={Link}
      to={`${path}/${page}`}
      // The router cannot know the filters of a page whose path is put together.
      search={search as never}
      size="sm"
      underline={isInText ? 'always' : 'hover'}
    >
      {children}
    </Anchor>
  );
}

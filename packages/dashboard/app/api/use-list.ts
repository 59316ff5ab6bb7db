import { useAddress } from '../use-address.ts';
import type { Query } from './request.ts';
import type { Page } from './resources.ts';
import { useObject } from './use-object.ts';

const PAGE_SIZE = 25;

/** One page of a list, and the cursors of its neighbors; the address keeps the place. */
export interface ListPage<Item> {
  readonly items: readonly Item[] | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isStale: boolean;
  readonly retry: () => void;
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/**
 * Reads the page of a list that the address names with `after` or `before`.
 * @param path below the environment, such as `keys`
 * @param every how long until it is read again; only the first page is
 */
export function useList<Item extends { readonly id: string }>(
  path: string,
  query: Query = {},
  every: number | false = false,
): ListPage<Item> {
  const { address } = useAddress();
  const { after, before } = address;
  const cursors = { starting_after: after, ending_before: before, limit: PAGE_SIZE };
  const isFirst = after === undefined && before === undefined;
  const { data, error, isPending, isPlaceholderData, refetch } = useObject<Page<Item>>(
    path,
    { ...query, ...cursors },
    { keep: true, every: isFirst && every },
  );
  const items = data?.data;
  const hasNewer = before === undefined ? after !== undefined : data?.has_more;
  const hasOlder = before === undefined ? data?.has_more : true;
  return {
    items,
    error,
    isPending,
    isStale: isPlaceholderData,
    retry: () => void refetch(),
    newer: hasNewer ? items?.[0]?.id : undefined,
    older: hasOlder ? items?.at(-1)?.id : undefined,
  };
}

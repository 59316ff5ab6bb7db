import { useQuery } from '@tanstack/react-query';
import { usePlace } from './place.ts';
import { type Query, request } from './request.ts';
import type { Page } from './resources.ts';
import { cacheKeyOf } from './use-object.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

/** The newest objects of a list. */
export interface WholeList<Item> {
  readonly items: readonly Item[];
  /** False if there are older ones, which were not read. */
  readonly isWhole: boolean;
}

/**
 * Reads a list page after page, for the account and environment of the address: 500 objects at most.
 * @param path below the environment, such as `keys`
 */
export function useWholeList<Item extends { readonly id: string }>(
  path: string,
  query: Query = {},
) {
  const place = usePlace();
  const address = `${place.account.id}/${place.environment}/${path}`;
  return useQuery({
    queryKey: [...cacheKeyOf(place), path, query, 'whole'],
    queryFn: async ({ signal }): Promise<WholeList<Item>> => {
      let items: readonly Item[] = [];
      for (let pages = 1; ; pages += 1) {
        const from = { ...query, limit: PAGE_SIZE, starting_after: items.at(-1)?.id };
        const { data, has_more } = await request<Page<Item>>(address, { query: from, signal });
        items = [...items, ...data];
        if (!has_more || pages === MAX_PAGES) return { items, isWhole: !has_more };
      }
    },
  });
}

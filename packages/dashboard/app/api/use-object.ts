import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Place, usePlace } from './place.ts';
import { type Query, request } from './request.ts';

interface Options<Answer> {
  /** How long until it is asked for again; false: not at all. */
  readonly every?: number | false | ((answer: Answer | undefined) => number | false);
  /** Whether to ask at all. */
  readonly when?: boolean;
  /** Whether the former answer stays until the next one is there. */
  readonly keep?: boolean;
}

/** The start of every key of the cache for one account and environment. */
export function cacheKeyOf({ account, environment }: Place): readonly string[] {
  return [account.id, environment];
}

/**
 * Reads from the server, for the account and environment of the address.
 * @param path below the environment, such as `keys/key_…`
 */
export function useObject<Answer>(
  path: string,
  query: Query = {},
  { every = false, when = true, keep = false }: Options<Answer> = {},
) {
  const place = usePlace();
  const prefix = `${place.account.id}/${place.environment}`;
  return useQuery({
    queryKey: [...cacheKeyOf(place), path, query],
    queryFn: ({ signal }) => request<Answer>(`${prefix}/${path}`, { query, signal }),
    enabled: when,
    refetchInterval: ({ state }) => (typeof every === 'function' ? every(state.data) : every),
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sayDone } from '../ui/say-done.ts';
import { usePlace } from './place.ts';
import { isPassing } from './problems.ts';
import { request } from './request.ts';
import { sendOnce } from './send-once.ts';
import { cacheKeyOf } from './use-object.ts';

interface Action {
  /** Below the environment, such as `keys/key_…/revoke`. */
  readonly path: string;
  readonly body?: object;
  readonly method?: 'POST' | 'DELETE';
}

/**
 * Writes to the server, once for each action (`sendOnce`).
 * @param onDone called with the answer, after which every page is read anew
 */
export function useWrite<Answer>(onDone?: (answer: Answer) => void) {
  const place = usePlace();
  const cache = useQueryClient();
  const queryKey = cacheKeyOf(place);
  return useMutation({
    mutationFn: ({ path, body, method = 'POST' }: Action) => {
      const address = `${place.account.id}/${place.environment}/${path}`;
      const action = JSON.stringify([method, address, body]);
      return sendOnce(action, (idempotencyKey) => {
        const write = { method, idempotencyKey, onReplay: sayDoneBefore, ...(body && { body }) };
        return request<Answer>(address, { write });
      });
    },
    // An answer can hold a secret, which leaves the memory with its page.
    gcTime: 0,
    onError: (error) => {
      // It may have been done: the pages show whether it was.
      if (isPassing(error)) void cache.invalidateQueries({ queryKey });
    },
    onSuccess: async (answer, { path, method }) => {
      onDone?.(answer);
      await cache.invalidateQueries({
        queryKey,
        // What is deleted cannot be read again; its page may still be there.
        predicate: ({ queryKey: read }) => method !== 'DELETE' || !read.includes(path),
      });
    },
  });
}

function sayDoneBefore(): void {
  sayDone('This had already been done, and was not done again.');
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { usePlace } from './place.ts';
import { isPassing } from './problems.ts';
import { request } from './request.ts';
import { cacheKeyOf } from './use-object.ts';

interface Action {
  /** Below the environment, such as `keys/key_…/revoke`. */
  readonly path: string;
  readonly body?: object;
  readonly method?: 'POST' | 'DELETE';
}

/**
 * Writes to the server. When an action got no answer and the user tries it again, it has the same
 * idempotency key, so that it is done once.
 * @param onDone called with the answer, after which every page is read anew
 */
export function useWrite<Answer>(onDone?: (answer: Answer) => void) {
  const place = usePlace();
  const cache = useQueryClient();
  const unanswered = useRef<{ action: string; key: string } | undefined>(undefined);
  return useMutation({
    mutationFn: async ({ path, body, method = 'POST' }: Action) => {
      const action = JSON.stringify([method, path, body]);
      const former = unanswered.current?.action === action ? unanswered.current.key : undefined;
      const idempotencyKey = former ?? crypto.randomUUID();
      unanswered.current = { action, key: idempotencyKey };
      const write = { method, idempotencyKey, ...(body && { body }) };
      return request<Answer>(`${place.account.id}/${place.environment}/${path}`, { write });
    },
    onError: (error) => {
      if (!isPassing(error)) unanswered.current = undefined;
    },
    onSuccess: async (answer, { path, method }) => {
      unanswered.current = undefined;
      onDone?.(answer);
      await cache.invalidateQueries({
        queryKey: cacheKeyOf(place),
        // What is deleted cannot be read again; its page may still be there.
        predicate: ({ queryKey }) => method !== 'DELETE' || !queryKey.includes(path),
      });
    },
  });
}

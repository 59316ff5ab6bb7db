import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';
import type { Session } from './resources.ts';

/** Who is signed in, which accounts they have, and how the host's product looks. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => request<Session>('session', { signal }),
    staleTime: 60_000,
  });
}

import { Alert } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useReachable } from '../api/reachability.ts';
import { request } from '../api/request.ts';
import classes from './shell.module.css';

const RETRY_MS = 3_000;

/** Says that the server does not answer, asks until it does, and then reads the page anew. */
export function ServerBanner() {
  const isReachable = useReachable();
  const wasReachable = useRef(true);
  const cache = useQueryClient();
  useQuery({
    queryKey: ['reachable'],
    queryFn: ({ signal }) => request('session', { signal }),
    enabled: !isReachable,
    retry: false,
    gcTime: 0,
    refetchInterval: RETRY_MS,
  });
  useEffect(() => {
    if (isReachable && !wasReachable.current) {
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'reachable' });
    }
    wasReachable.current = isReachable;
  }, [isReachable, cache]);
  return (
    <div role="status" className={classes['banner']}>
      {!isReachable && (
        <Alert color="red" variant="filled" radius={0} title="The server does not answer">
          What you see may be old. Trying again every few seconds.
        </Alert>
      )}
    </div>
  );
}

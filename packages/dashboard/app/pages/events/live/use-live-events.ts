import { useDocumentVisibility } from '@mantine/hooks';
import { startTransition, useEffect, useRef, useState } from 'react';
import { usePlace } from '../../../api/place.ts';
import { isPassing, RefusedError } from '../../../api/problems.ts';
import { useReachable } from '../../../api/reachability.ts';
import { type Query, request } from '../../../api/request.ts';
import type { Page, StoredEvent } from '../../../api/resources.ts';
import { mergeEvents, type ReadPage, readNewest } from './newest-events.ts';

const EVERY_MS = 1_000;
const MAX_WAIT_MS = 30_000;
const NONE: readonly StoredEvent[] = [];

interface Tail {
  /** Undefined until the first answer. */
  readonly events: readonly StoredEvent[] | undefined;
  /** Whether some events came and went without being read. */
  readonly isCut: boolean;
  /** How long the next try waits, after one that failed; 0 if the last one succeeded. */
  readonly waitMs: number;
  /** Why it stopped. */
  readonly error: Error | null;
}

const START: Tail = { events: undefined, isCut: false, waitMs: 0, error: null };

/**
 * Follows the newest events that match. It rests while nobody sees the page and while the server is
 * away. Mount it anew for other filters.
 */
export function useLiveEvents(query: Query) {
  const { account, environment } = usePlace();
  const isVisible = useDocumentVisibility() !== 'hidden';
  const isReachable = useReachable();
  const path = `${account.id}/${environment}/events`;
  const [tail, setTail] = useState(START);
  const [round, setRound] = useState(0);
  const filters = useRef(query);
  const known = useRef(NONE);
  const mayAsk = isVisible && isReachable;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round begins after an error
  useEffect(() => {
    if (!mayAsk) return;
    const stop = new AbortController();
    const { signal } = stop;
    const read: ReadPage = (page) =>
      request<Page<StoredEvent>>(path, { query: { ...filters.current, ...page }, signal });
    const change = (values: Partial<Tail>) =>
      // Many rows are drawn in pieces, so that the page still answers the user.
      startTransition(() => setTail((former) => ({ ...former, waitMs: 0, ...values })));
    const once = async () => {
      const { events, isCut } = await readNewest(read, known.current);
      known.current = mergeEvents(known.current, events);
      change({ events: known.current, ...(isCut && { isCut }) });
    };
    void repeat(once, change, signal);
    return () => stop.abort();
  }, [path, mayAsk, round]);
  const retry = () => {
    setTail((former) => ({ ...former, error: null }));
    setRound(round + 1);
  };
  return { ...tail, isReachable, retry };
}

/** Does it every second; after failures that may pass, less and less often. */
async function repeat(
  once: () => Promise<void>,
  change: (values: Partial<Tail>) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    let waitMs = EVERY_MS;
    try {
      await once();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) return change({ error: error instanceof Error ? error : null });
      failures += 1;
      const asked = error instanceof RefusedError ? error.waitMs : 0;
      waitMs = Math.min(MAX_WAIT_MS, Math.max(asked, EVERY_MS * 2 ** failures));
      change({ waitMs });
    }
    await pause(waitMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

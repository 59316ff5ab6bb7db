import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePlace } from '../../api/place.ts';
import { isPassing, RefusedError } from '../../api/problems.ts';
import { request } from '../../api/request.ts';
import type { Delivery } from '../../api/resources.ts';
import { sendOnce } from '../../api/send-once.ts';
import { cacheKeyOf } from '../../api/use-object.ts';

const AT_ONCE = 4;
const TRIES = 3;
const MIN_WAIT_MS = 1_000;

export interface FailedResend {
  readonly delivery: Delivery;
  readonly error: Error;
}

export interface Resends {
  readonly total: number;
  readonly done: number;
  readonly failed: readonly FailedResend[];
  /** How many were not tried, because the user stopped it. */
  readonly stopped: number;
}

/** Sends deliveries again, a few at a time, and says how far it is. */
export function useResends() {
  const place = usePlace();
  const cache = useQueryClient();
  const [resends, setResends] = useState<Resends>();
  const waiting = useRef<Delivery[]>([]);
  const resendOne = async ({ id }: Delivery): Promise<void> => {
    const path = `${place.account.id}/${place.environment}/deliveries/${id}/retry`;
    await sendOnce(path, (idempotencyKey) =>
      patiently(() => request(path, { write: { method: 'POST', idempotencyKey } })),
    );
  };

  const resend = async (deliveries: readonly Delivery[]): Promise<Resends> => {
    waiting.current = [...deliveries];
    let state: Resends = { total: deliveries.length, done: 0, failed: [], stopped: 0 };
    setResends(state);
    const work = async () => {
      for (let next = waiting.current.shift(); next; next = waiting.current.shift()) {
        const failure = await failureOf(next, resendOne);
        state = { ...state, done: state.done + 1, failed: [...state.failed, ...failure] };
        setResends(state);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    state = { ...state, total: state.done, stopped: state.total - state.done };
    setResends(state);
    await cache.invalidateQueries({ queryKey: cacheKeyOf(place) });
    return state;
  };
  /** Those that are being sent are still sent. */
  const stop = () => {
    waiting.current = [];
  };
  return { resends, resend, stop };
}

async function failureOf(
  delivery: Delivery,
  resend: (delivery: Delivery) => Promise<void>,
): Promise<readonly FailedResend[]> {
  try {
    await resend(delivery);
    return [];
  } catch (error) {
    return [{ delivery, error: error instanceof Error ? error : new Error(String(error)) }];
  }
}

/** Tries again what the server refuses for a moment, such as too many requests in a second. */
async function patiently(send: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await send();
      return;
    } catch (error) {
      const isForNow = error instanceof RefusedError && isPassing(error);
      if (!isForNow || tries === TRIES) throw error;
      const waitMs = Math.max(MIN_WAIT_MS, error.waitMs);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

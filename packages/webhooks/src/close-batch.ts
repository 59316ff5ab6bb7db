import { setTimeout as wait } from 'node:timers/promises';
import type {
  CloseAttempt,
  ClosedAttempt,
  DeliveryQueue,
  RetryQueue,
  WakeUp,
} from '@paymount/core/events';
import {
  type Clock,
  type CrashPoint,
  type Logger,
  type Telemetry,
  toError,
} from '@paymount/core/kernel';
import type { EndedAttempt } from './attempt.ts';

const MAX_RESULTS = 500;
const MAX_WAIT_MS = 3;
// All of them fit into the 5 s that a lease leaves for recording.
const RETRY_WAITS_MS = [50, 200, 800, 2_000];

export interface CloseBatchPorts {
  readonly deliveries: Pick<DeliveryQueue, 'close'>;
  readonly queue: RetryQueue | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly crashPoint: CrashPoint;
}

/**
 * Group commit of results: one statement for up to 500 attempts or 3 ms, or immediately if no other
 * attempt is running, because an INSERT for each would cost PostgreSQL ten times the work. One
 * statement runs at a time; results that arrive meanwhile go into the next.
 */
export class CloseBatch {
  readonly #ports: CloseBatchPorts;
  #waiting: EndedAttempt[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(ports: CloseBatchPorts) {
    this.#ports = ports;
  }

  /** @param alone no other attempt is running, so there is nothing to wait for */
  add(ended: EndedAttempt, alone: boolean): void {
    this.#waiting.push(ended);
    if (this.#flushing !== undefined) return;
    if (alone || this.#waiting.length >= MAX_RESULTS) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), MAX_WAIT_MS);
  }

  /** Waits until every result so far is recorded or given up. */
  async flush(): Promise<void> {
    if (this.#flushing === undefined && this.#waiting.length > 0) this.#start();
    await this.#flushing;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#flushing !== undefined || this.#waiting.length === 0) return;
    this.#flushing = this.#flushAll();
  }

  async #flushAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MAX_RESULTS);
        await this.#close(batch);
      }
    } finally {
      // In the turn that saw nothing waiting, so that no result can slip in between.
      this.#flushing = undefined;
    }
  }

  async #close(batch: readonly EndedAttempt[]): Promise<void> {
    const { crashPoint } = this.#ports;
    crashPoint('close.before_commit');
    const closed = await this.#tryToClose(batch);
    crashPoint('close.after_commit');
    if (closed === undefined) return;
    const open = new Set(closed.filter((row) => row.closed).map(attemptKey));
    this.#warnSuperseded(closed);
    this.#schedule(batch.filter((ended) => open.has(attemptKey(toClose(ended, 0)))));
  }

  /**
   * @returns undefined if the results were given up: their leases expire and they are sent again
   */
  async #tryToClose(batch: readonly EndedAttempt[]): Promise<readonly ClosedAttempt[] | undefined> {
    const { deliveries, clock, logger } = this.#ports;
    for (let tried = 0; ; tried += 1) {
      const nowMs = clock.monotonicMs();
      try {
        return await deliveries.close(
          batch.map((ended) => toClose(ended, nowMs - ended.endedAtMs)),
        );
      } catch (error) {
        const cause = toError(error);
        const waitMs = RETRY_WAITS_MS[tried];
        if (waitMs === undefined) {
          logger.error(
            { results: batch.length, err: cause },
            'Delivery results were not recorded.',
          );
          return undefined;
        }
        logger.warn({ results: batch.length, err: cause }, 'Recording delivery results again.');
        await wait(waitMs);
      }
    }
  }

  #warnSuperseded(closed: readonly ClosedAttempt[]): void {
    for (const row of closed) {
      if (row.closed) continue;
      this.#ports.telemetry.count('paymount_deliveries_superseded_total', {});
      const facts = { delivery: row.id, attempt: row.attempt };
      this.#ports.logger.warn(facts, 'Another result of this attempt was first.');
    }
  }

  #schedule(ended: readonly EndedAttempt[]): void {
    const { queue, clock, crashPoint } = this.#ports;
    const nowMs = clock.monotonicMs();
    const wakeUps: WakeUp[] = [];
    for (const { delivery, verdict, endedAtMs } of ended) {
      if (verdict.next !== 'retry') continue;
      const delayMs = Math.max(0, Math.round(verdict.waitMs - (nowMs - endedAtMs)));
      wakeUps.push({ id: delivery.id, attempt: verdict.attempt, delayMs });
    }
    if (queue === undefined || wakeUps.length === 0) return;
    crashPoint('retry.before_queue');
    queue.schedule(wakeUps);
  }
}

function toClose(ended: EndedAttempt, endedAgoMs: number): CloseAttempt {
  const { delivery, verdict, record } = ended;
  return { id: delivery.id, attempt: delivery.attempt, verdict, record, endedAgoMs };
}

function attemptKey({ id, attempt }: { readonly id: string; readonly attempt: number }): string {
  return `${id}-${attempt}`;
}

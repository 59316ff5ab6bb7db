import type { DeliveryQueue, LockHolder } from '@paymount/core/events';
import type { Clock, EndpointId, Logger } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import type { EndedAttempt } from './attempt.ts';
import { LEASE_MS } from './lease.ts';

/** The waits before the first tries; most locks are held for a moment, by another worker. */
const RETRY_WAITS_MS = [20, 100, 400] as const;
/** The wait before every later try. */
const MAX_RETRY_WAIT_MS = 1_000;
/** A lock that is held longer than this is reported. */
const REPORT_AFTER_MS = 1_000;
/** How often it is asked again who holds it: another session may have taken it. */
const ASK_EVERY_MS = 15_000;
/** How often while no holder is known: a busy database may not have answered in time. */
const ASK_AGAIN_MS = 2_000;
/** How often a lease is lengthened: one that fails leaves time for the next. */
const RENEW_EVERY_MS = 8_000;
/** It is asked about so many endpoints at once. */
const MAX_ASKED = 10;

/** An endpoint whose results wait for a lock of another session. */
export interface LockedEndpoint {
  readonly endpoint: EndpointId;
  /** How long its results have waited, in milliseconds. */
  readonly waitingMs: number;
  /** Sessions of the database server that hold the lock; none if they could not be found. */
  readonly holders: readonly LockHolder[];
}

interface Held {
  readonly results: EndedAttempt[];
  readonly sinceMs: number;
  /** Monotonic, when it was last asked who holds the lock. */
  askedAtMs: number | undefined;
  holders: readonly LockHolder[];
  /** The holders that the log names; undefined until it is reported. */
  reported: string | undefined;
}

const NONE: ReadonlySet<EndedAttempt> = new Set();

export interface HeldResultsPorts {
  readonly deliveries: Pick<DeliveryQueue, 'renewLeases' | 'findLockHolders'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Results that cannot be recorded because another session has locked the row of their endpoint or
 * delivery, such as a host that has not ended its transaction. They wait apart, so that they delay no
 * others. Nothing more is sent to their endpoints meanwhile, and their leases are lengthened, so that no
 * other worker sends the same again.
 */
export class HeldResults {
  readonly #ports: HeldResultsPorts;
  readonly #endpoints = new Map<EndpointId, Held>();
  #tries = 0;
  #nextTryMs = Number.POSITIVE_INFINITY;
  /** Monotonic, before the statement that lengthened its lease. */
  readonly #renewedAtMs = new WeakMap<EndedAttempt, number>();
  #renewing: Promise<void> | undefined;
  #reporting: Promise<void> | undefined;

  constructor(ports: HeldResultsPorts) {
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#endpoints.size === 0;
  }

  /** Monotonic, when they are to be tried again; infinite without any. */
  get nextTryMs(): number {
    return this.#nextTryMs;
  }

  /** Endpoints to which nothing may be sent. */
  get endpoints(): readonly EndpointId[] {
    return [...this.#endpoints.keys()];
  }

  /** Those that have waited long enough to be reported. */
  get locked(): readonly LockedEndpoint[] {
    const nowMs = this.#ports.clock.monotonicMs();
    return [...this.#endpoints]
      .filter(([, { reported }]) => reported !== undefined)
      .map(([endpoint, { sinceMs, holders }]) => ({
        endpoint,
        waitingMs: nowMs - sinceMs,
        holders,
      }));
  }

  has(endpoint: EndpointId): boolean {
    return this.#endpoints.has(endpoint);
  }

  /** Keeps a result behind those of its endpoint that wait already. */
  add(ended: EndedAttempt): void {
    const { endpointId } = ended.delivery;
    const nowMs = this.#ports.clock.monotonicMs();
    const held = this.#endpoints.get(endpointId);
    if (held === undefined) {
      this.#endpoints.set(endpointId, {
        results: [ended],
        sinceMs: nowMs,
        askedAtMs: undefined,
        holders: [],
        reported: undefined,
      });
      this.#tries = 0;
      this.#nextTryMs = nowMs + RETRY_WAITS_MS[0];
    } else {
      held.results.push(ended);
    }
    // At once: its lease was taken before the attempt, so it is almost over.
    this.#keepLeases(nowMs);
  }

  /**
   * Results to be tried again: the first of each endpoint, then the second of each, and so on. Those of an
   * endpoint are in the order of their ends. The endpoints that were tried come last the next time.
   */
  next(limit: number): readonly EndedAttempt[] {
    const all = [...this.#endpoints];
    const next: EndedAttempt[] = [];
    const depth = Math.max(0, ...all.map(([, { results }]) => results.length));
    for (let at = 0; at < depth && next.length < limit; at += 1) {
      next.push(...all.flatMap(([, { results }]) => results.slice(at, at + 1)));
    }
    for (const [endpoint, held] of all.slice(0, limit)) {
      this.#endpoints.delete(endpoint);
      this.#endpoints.set(endpoint, held);
    }
    return next.slice(0, limit);
  }

  /**
   * They were tried.
   * @param done those that need not wait any more
   * @param givenUp those of them that were not recorded
   */
  tried(done: ReadonlySet<EndedAttempt>, givenUp: ReadonlySet<EndedAttempt> = NONE): void {
    for (const [endpoint, held] of this.#endpoints) {
      const isLost = held.results.some((ended) => givenUp.has(ended));
      const left = held.results.filter((ended) => !done.has(ended));
      held.results.splice(0, held.results.length, ...left);
      if (left.length > 0) continue;
      this.#endpoints.delete(endpoint);
      if (held.reported === undefined || isLost) continue;
      const facts = { endpoint };
      this.#ports.logger.info(facts, 'Results of an endpoint are recorded again.');
    }
    const waitMs = RETRY_WAITS_MS[this.#tries + 1] ?? MAX_RETRY_WAIT_MS;
    this.#tries += 1;
    const nowMs = this.#ports.clock.monotonicMs();
    this.#nextTryMs = this.isEmpty ? Number.POSITIVE_INFINITY : nowMs + waitMs;
    this.#keepLeases(nowMs);
    this.#report(nowMs);
  }

  /** Lengthens leases by one statement at a time. */
  #keepLeases(nowMs: number): void {
    if (this.#renewing !== undefined) return;
    const all = [...this.#endpoints.values()].flatMap(({ results }) => results);
    const due = all.filter((ended) => {
      const renewedAtMs = this.#renewedAtMs.get(ended);
      return renewedAtMs === undefined || nowMs - renewedAtMs >= RENEW_EVERY_MS;
    });
    if (due.length === 0) return;
    this.#renewing = this.#renew(due, nowMs);
  }

  async #renew(due: readonly EndedAttempt[], nowMs: number): Promise<void> {
    const { deliveries, clock, logger } = this.#ports;
    const leases = due.map(({ delivery: { id, leaseToken } }) => ({ id, leaseToken }));
    try {
      await deliveries.renewLeases(leases, LEASE_MS);
    } catch (error) {
      // The next try of the results lengthens them.
      this.#renewing = undefined;
      logger.warn({ err: toError(error) }, 'Leases of results that wait were not lengthened.');
      return;
    }
    this.#renewing = undefined;
    for (const ended of due) this.#renewedAtMs.set(ended, nowMs);
    // Those that were added meanwhile.
    this.#keepLeases(clock.monotonicMs());
  }

  /** Asks who holds the locks, and names the sessions in the log when they change. */
  #report(nowMs: number): void {
    const due = [...this.#endpoints].filter(([, { askedAtMs, sinceMs, holders }]) => {
      if (askedAtMs === undefined) return nowMs - sinceMs >= REPORT_AFTER_MS;
      return nowMs - askedAtMs >= (holders.length === 0 ? ASK_AGAIN_MS : ASK_EVERY_MS);
    });
    if (due.length === 0) return;
    this.#reporting ??= this.#askAbout(due.slice(0, MAX_ASKED)).finally(() => {
      this.#reporting = undefined;
    });
  }

  async #askAbout(due: readonly (readonly [EndpointId, Held])[]): Promise<void> {
    const { deliveries, clock } = this.#ports;
    for (const [endpointId, held] of due) {
      const [first] = held.results;
      if (first === undefined) continue;
      const { id, accountId } = first.delivery;
      held.askedAtMs = clock.monotonicMs();
      // One that fails says nothing: those that were found before may still hold it.
      held.holders = await deliveries
        .findLockHolders({ id, endpointId, accountId })
        .catch(() => held.holders);
      if (this.#endpoints.get(endpointId) === held) this.#log(first, held);
    }
  }

  #log({ delivery: { endpointId, accountId } }: EndedAttempt, held: Held): void {
    const holders = held.holders.map(({ pid }) => pid).join();
    if (held.reported === holders || (held.reported !== undefined && holders === '')) return;
    held.reported = holders;
    const facts = {
      endpoint: endpointId,
      account: accountId,
      results: held.results.length,
      locked_by: held.holders.map(describeHolder).join('; ') || 'unknown',
    };
    this.#ports.logger.warn(
      facts,
      'Another session of the database has locked an endpoint, so its results wait.',
    );
  }
}

function describeHolder({ pid, applicationName, state, openMs }: LockHolder): string {
  const name = applicationName === undefined ? '' : ` (${applicationName})`;
  const how = state === undefined ? '' : `, ${state}`;
  const since = openMs === undefined ? '' : `, open for ${Math.round(openMs / 1_000)} s`;
  return `pid ${pid}${name}${how}${since}`;
}

import type { AuthEpoch, AuthSync, CredentialReader } from '@paymount/core/access';
import { type Clock, type Logger, toError } from '@paymount/core/kernel';
import type { KeyCache } from './key-cache.ts';
import { isWithin, type Moment, readClocks } from './moment.ts';

/** Entries may be used this long after a sync was sent: the limit of every revocation. */
const LEASE_MS = 500;
/**
 * A request that finds the lease older starts a sync, so that the lease of a busy process never
 * expires.
 */
const RENEW_AFTER_MS = LEASE_MS / 2;
/** A sync that takes longer is abandoned, and its late answer ignored. */
const SYNC_LIMIT_MS = 250;
/**
 * After a failed sync, requests wait this long before the next one, because each connects to the
 * database.
 */
const RETRY_AFTER_MS = 50;
/** Requests of `refreshSoon` cause at most one sync in this time. */
const REFRESH_SPACING_MS = 5;

interface EpochSyncPorts {
  readonly credentials: CredentialReader;
  readonly clock: Clock;
  readonly cache: KeyCache;
  readonly logger: Logger;
}

/**
 * Keeps the lease under which the key cache may be used. Proof: a revocation commits at c. A sync
 * sent at s >= c evicts before the lease starts at s; so a lease that still covers the entry started
 * before c, and ends before c + 500 ms. It needs one primary and one process's clock, and no message
 * to arrive.
 */
export class EpochSync {
  readonly #ports: EpochSyncPorts;
  #last: AuthEpoch | undefined;
  #leaseStart: Moment | undefined;
  #running: { readonly sentAt: Moment } | undefined;
  #failedAt: Moment | undefined;
  /** A change was announced after the latest sync was sent. */
  #refreshRequested = false;
  #pause: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(ports: EpochSyncPorts) {
    this.#ports = ports;
  }

  /**
   * Whether the cache may be used in this very turn. Starts a sync when the lease grows old;
   * nothing runs between requests, so an idle process asks the database nothing.
   */
  isFresh(): boolean {
    const now = readClocks(this.#ports.clock);
    const start = this.#leaseStart;
    if (start === undefined) {
      this.#renew(now);
      return false;
    }
    if (!isWithin(start, now, RENEW_AFTER_MS)) this.#renew(now);
    return isWithin(start, now, LEASE_MS);
  }

  /**
   * Syncs soon, because access may have changed; only the database's answer decides. A request
   * during a sync causes another sync, because the snapshot of the first may be older than the
   * change. If the lease has expired, nothing cached can be used, and no sync is necessary.
   */
  refreshSoon(): void {
    this.#refreshRequested = true;
    this.#refreshIfRequested();
  }

  /** Sends no queries from now on. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#pause);
  }

  #refreshIfRequested(): void {
    if (!this.#refreshRequested || this.#running !== undefined || this.#pause !== undefined) return;
    const now = readClocks(this.#ports.clock);
    const start = this.#leaseStart;
    if (start === undefined || !isWithin(start, now, LEASE_MS)) return;
    this.#renew(now);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#refreshIfRequested();
    }, REFRESH_SPACING_MS).unref();
  }

  #renew(now: Moment): void {
    if (this.#closed) return;
    if (this.#running !== undefined) {
      if (isWithin(this.#running.sentAt, now, SYNC_LIMIT_MS)) return;
      this.#reportFailure(new Error(`No answer within ${SYNC_LIMIT_MS} ms.`), now);
    } else if (this.#failedAt !== undefined && isWithin(this.#failedAt, now, RETRY_AFTER_MS)) {
      return;
    }
    void this.#sync(now);
  }

  async #sync(sentAt: Moment): Promise<void> {
    const run = { sentAt };
    this.#running = run;
    // This sync sees every change announced so far.
    this.#refreshRequested = false;
    try {
      const found = await this.#ports.credentials.syncEpoch(this.#last);
      if (this.#running !== run) return;
      this.#running = undefined;
      this.#failedAt = undefined;
      this.#apply(found, sentAt);
    } catch (cause) {
      if (this.#running !== run) return;
      this.#running = undefined;
      const err = toError(cause);
      this.#reportFailure(err, readClocks(this.#ports.clock));
    }
    this.#refreshIfRequested();
  }

  /** Once per outage: each refused request is logged separately. */
  #reportFailure(err: Error, at: Moment): void {
    if (this.#closed) return;
    if (this.#failedAt === undefined) {
      this.#ports.logger.warn({ err }, 'Access changes cannot be read.');
    }
    this.#failedAt = at;
  }

  /** Synchronous; the lease starts only after everything else. */
  #apply(found: AuthSync, sentAt: Moment): void {
    const { cache, logger } = this.#ports;
    if (found.inRecovery) {
      this.#leaseStart = undefined;
      return;
    }
    const history = compareHistory(this.#last, found);
    if (history === 'continued') {
      const newer = found.changes.slice(1);
      if (newer.length > 0) cache.evict(newer.flatMap((change) => change.subjects));
    } else {
      cache.clear();
    }
    if (history === 'forked') {
      logger.error(
        { seen_gen: String(this.#last?.gen), found_gen: String(found.current.gen) },
        'The history of access changes was replaced; was a failover without synchronous replication?',
      );
    }
    this.#last = found.current;
    this.#leaseStart = sentAt;
  }
}

/**
 * Whether the result of a sync continues the history that this process has seen.
 * - `continued`: nothing is missing between the two
 * - `started`: nothing was seen before
 * - `purged`: the log no longer reaches back so far
 * - `forked`: the counter went back, or another history has the same number
 */
export function compareHistory(
  last: AuthEpoch | undefined,
  { current, changes }: AuthSync,
): 'started' | 'continued' | 'purged' | 'forked' {
  if (last === undefined) return 'started';
  if (current.gen < last.gen) return 'forked';
  if (current.gen === last.gen) return current.mark === last.mark ? 'continued' : 'forked';
  const first = changes[0];
  if (first === undefined || first.gen !== last.gen) return 'purged';
  if (first.mark !== last.mark) return 'forked';
  const whole = BigInt(changes.length) === current.gen - last.gen + 1n;
  return whole ? 'continued' : 'purged';
}

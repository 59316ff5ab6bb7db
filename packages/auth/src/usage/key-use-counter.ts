import type { KeyUse, UseCounts, UsedId } from '@paymount/core/access';
import { redactCardNumbers, redactCredentialText } from '@paymount/core/kernel';

/**
 * Maximum number of hours in memory: one, or two around the turn of the hour, unless flushing fails
 * for long.
 */
const MAX_HOURS = 24;
/**
 * Maximum number of addresses of one key between two flushes; more are counted without their
 * address.
 */
const MAX_ADDRESSES = 100;
const MAX_USER_AGENT = 256;
const HOUR_MS = 3_600_000;

interface Hour extends Record<keyof UseCounts, number> {
  readonly hourMs: number;
}

interface AddressUse {
  readonly address: string;
  count: number;
  lastSeenMs: number;
}

/** One answer to a key. */
export interface Use {
  /** The status of the answer. */
  readonly status: number;
  /** Canonical address of the client; undefined if unknown. */
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** False for publishable keys: address and user agent are those of visitors, and not recorded. */
  readonly namesAddresses: boolean;
}

/**
 * The usage of one key in this process since the last flush. Hours and addresses are few, so lists
 * are sufficient.
 */
export class KeyUseCounter {
  readonly keyId: UsedId;
  #lastMs = 0;
  #lastIp: string | undefined;
  #lastUserAgent: string | undefined;
  readonly #hours: Hour[] = [];
  readonly #addresses: AddressUse[] = [];
  /** Of the latest use: most requests have the same as the one before, which saves a search. */
  #lastHour: Hour | undefined;
  #lastAddress: AddressUse | undefined;

  constructor(keyId: UsedId) {
    this.keyId = keyId;
  }

  /** Counts one answer; no I/O, and less than a microsecond. */
  add({ status, address, userAgent, namesAddresses }: Use, nowMs: number): void {
    if (nowMs >= this.#lastMs) {
      this.#lastMs = nowMs;
      this.#lastIp = namesAddresses ? address : undefined;
      this.#lastUserAgent = namesAddresses ? shortened(userAgent) : undefined;
    }
    this.#hour(nowMs - (nowMs % HOUR_MS))[toStatusClass(status)] += 1;
    if (address !== undefined && namesAddresses) this.#countAddress(address, 1, nowMs);
  }

  /** Puts back usage that could not be written: it counts, but newer values win. */
  merge(older: KeyUseCounter): void {
    if (older.#lastMs > this.#lastMs) {
      this.#lastMs = older.#lastMs;
      this.#lastIp = older.#lastIp;
      this.#lastUserAgent = older.#lastUserAgent;
    }
    for (const { hourMs, succeeded, refused, rateLimited, failed } of older.#hours) {
      const hour = this.#hour(hourMs);
      hour.succeeded += succeeded;
      hour.refused += refused;
      hour.rateLimited += rateLimited;
      hour.failed += failed;
    }
    for (const { address, count, lastSeenMs } of older.#addresses) {
      this.#countAddress(address, count, lastSeenMs);
    }
  }

  /** The maximum number of rows that it needs. */
  get rows(): number {
    return 1 + this.#hours.length + this.#addresses.length;
  }

  /**
   * The usage to write. Keys and card numbers in the user agent are removed here, not per request.
   */
  toUse(): KeyUse {
    const userAgent = this.#lastUserAgent;
    return {
      keyId: this.keyId,
      lastUsedAt: new Date(this.#lastMs),
      ...(this.#lastIp === undefined ? {} : { lastIp: this.#lastIp }),
      ...(userAgent === undefined
        ? {}
        : { lastUserAgent: redactCardNumbers(redactCredentialText(userAgent)) }),
      hours: this.#hours.map(({ hourMs, ...counts }) => ({ hour: new Date(hourMs), ...counts })),
      addresses: this.#addresses.map(({ address, count, lastSeenMs }) => ({
        address,
        count,
        lastSeenAt: new Date(lastSeenMs),
      })),
    };
  }

  #hour(hourMs: number): Hour {
    if (this.#lastHour?.hourMs === hourMs) return this.#lastHour;
    let hour = this.#hours.find((known) => known.hourMs === hourMs);
    if (hour === undefined) {
      if (this.#hours.length === MAX_HOURS) this.#hours.shift();
      hour = { hourMs, succeeded: 0, refused: 0, rateLimited: 0, failed: 0 };
      this.#hours.push(hour);
    }
    this.#lastHour = hour;
    return hour;
  }

  #countAddress(address: string, count: number, seenMs: number): void {
    const known =
      this.#lastAddress?.address === address
        ? this.#lastAddress
        : this.#addresses.find((seen) => seen.address === address);
    if (known === undefined) {
      if (this.#addresses.length === MAX_ADDRESSES) return;
      this.#lastAddress = { address, count, lastSeenMs: seenMs };
      this.#addresses.push(this.#lastAddress);
      return;
    }
    this.#lastAddress = known;
    known.count += count;
    known.lastSeenMs = Math.max(known.lastSeenMs, seenMs);
  }
}

/** Copies the bytes, because a slice would keep the whole header in memory. */
function shortened(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined || userAgent.length <= MAX_USER_AGENT) return userAgent;
  return Buffer.from(userAgent.slice(0, MAX_USER_AGENT), 'latin1').toString('latin1');
}

function toStatusClass(status: number): keyof UseCounts {
  if (status < 400) return 'succeeded';
  if (status >= 500) return 'failed';
  return status === 429 ? 'rateLimited' : 'refused';
}

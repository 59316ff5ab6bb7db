import { KnownKey } from './known-key.ts';
import type { KnownToken } from './known-token.ts';

/** A key or an access token that exists. */
export type KnownCredential = KnownKey | KnownToken;

interface KeyCacheLimits {
  /** Known keys; the one unused for longest is evicted first. @defaultValue 100,000 */
  readonly maxKnown?: number;
  /** Hashes that no key has; a flood of guesses must not push out known keys. @defaultValue 10,000 */
  readonly maxUnknown?: number;
  /** Hashes of evicted keys, kept as many, up to twice. @defaultValue 5,000 */
  readonly maxLeft?: number;
}

/**
 * The number of entries examined; if all are in use one is evicted anyway, to keep the work short.
 */
const MAX_LOOKS = 100;

/**
 * The results of look-ups, by hash. It does not know the time: a reader must hold a fresh lease in
 * the same turn (`epoch-sync.ts`).
 */
export class KeyCache {
  readonly #known = new Map<string, KnownCredential>();
  readonly #unknown = new Set<string>();
  /**
   * Keys that exist but are not cached, because they changed or were evicted: presenting one is not
   * a guess.
   */
  #left = new Set<string>();
  /**
   * The previous generation, dropped at once, because removing the first entry of a set is slow.
   */
  #leftLonger = new Set<string>();
  /** The keys of a subject: most have one, and a set of one costs as much as the rest. */
  readonly #hashesBySubject = new Map<string, string | Set<string>>();
  readonly #maxKnown: number;
  readonly #maxUnknown: number;
  readonly #maxLeft: number;
  #applied = 0;

  constructor({ maxKnown = 100_000, maxUnknown = 10_000, maxLeft = 5_000 }: KeyCacheLimits = {}) {
    this.#maxKnown = maxKnown;
    this.#maxUnknown = maxUnknown;
    this.#maxLeft = maxLeft;
  }

  /** Counts the syncs that brought changes; a look-up reads it before it is sent. */
  get applied(): number {
    return this.#applied;
  }

  get size(): number {
    return this.#known.size + this.#unknown.size;
  }

  /** Whether a key had this hash when last looked up; does not say whether it is valid. */
  knows(hash: string): boolean {
    return this.#known.has(hash) || this.#left.has(hash) || this.#leftLonger.has(hash);
  }

  /** @returns the record, `unknown` for a hash that no key has, `undefined` when not cached */
  find(hash: string): KnownCredential | 'unknown' | undefined {
    const record = this.#known.get(hash);
    if (record !== undefined) {
      // A mark instead of a move to the end of the Map, which would write to it with every
      // request.
      record.wasUsed = true;
      return record;
    }
    if (!this.#unknown.delete(hash)) return undefined;
    this.#unknown.add(hash);
    return 'unknown';
  }

  /**
   * The fill rule: stores the result of a look-up, unless a sync brought changes since it was sent.
   * Its snapshot may be older than the changes, which were evicted before it came back. The fact
   * that a key has this hash is kept anyway: it never changes, and the first look-ups of a process
   * all overlap its first sync.
   */
  fill(hash: string, record: KnownCredential | undefined, appliedBefore: number): void {
    if (this.#applied !== appliedBefore) {
      if (record !== undefined && !this.knows(hash)) this.#keepLeft(hash);
      return;
    }
    this.#remove(hash);
    this.#left.delete(hash);
    this.#leftLonger.delete(hash);
    if (record === undefined) {
      this.#unknown.add(hash);
      const [oldest] = this.#unknown;
      if (oldest !== undefined && this.#unknown.size > this.#maxUnknown) this.#remove(oldest);
      return;
    }
    this.#known.set(hash, record);
    for (const subject of subjectsOf(record)) this.#index(subject, hash);
    if (this.#known.size > this.#maxKnown) this.#removeUnused();
  }

  /**
   * Removes the changed entries, and every unknown hash, because a new key may have one of them.
   * @param subjects ids of keys, tokens, grants, platforms and accounts
   */
  evict(subjects: Iterable<string>): void {
    this.#applied += 1;
    this.#unknown.clear();
    for (const subject of subjects) {
      const hashes = this.#hashesBySubject.get(subject) ?? [];
      for (const hash of typeof hashes === 'string' ? [hashes] : [...hashes]) this.#remove(hash);
    }
  }

  clear(): void {
    this.#applied += 1;
    for (const hash of [...this.#known.keys()].slice(-2 * this.#maxLeft)) this.#keepLeft(hash);
    this.#known.clear();
    this.#unknown.clear();
    this.#hashesBySubject.clear();
  }

  #index(subject: string, hash: string): void {
    const hashes = this.#hashesBySubject.get(subject);
    if (hashes === undefined) this.#hashesBySubject.set(subject, hash);
    else if (typeof hashes !== 'string') hashes.add(hash);
    else this.#hashesBySubject.set(subject, new Set([hashes, hash]));
  }

  #remove(hash: string): void {
    this.#unknown.delete(hash);
    const record = this.#known.get(hash);
    if (record === undefined) return;
    this.#known.delete(hash);
    this.#keepLeft(hash);
    for (const subject of subjectsOf(record)) {
      const hashes = this.#hashesBySubject.get(subject);
      if (typeof hashes === 'object') hashes.delete(hash);
      if (hashes === hash || (typeof hashes === 'object' && hashes.size === 0)) {
        this.#hashesBySubject.delete(subject);
      }
    }
  }

  #keepLeft(hash: string): void {
    if (this.#left.size >= this.#maxLeft) {
      this.#leftLonger = this.#left;
      this.#left = new Set();
    }
    this.#left.add(hash);
  }

  /** Evicts the oldest entry; an entry that was used since stays once more. */
  #removeUnused(): void {
    let looks = 0;
    for (const [hash, record] of this.#known) {
      looks += 1;
      if (!record.wasUsed || looks > MAX_LOOKS) {
        this.#remove(hash);
        return;
      }
      record.wasUsed = false;
      this.#known.delete(hash);
      this.#known.set(hash, record);
    }
  }
}

function subjectsOf(record: KnownCredential): readonly string[] {
  if (record instanceof KnownKey) return [record.id, record.accountId];
  return [record.tokenId, record.grantId, record.platformId, record.accountId];
}

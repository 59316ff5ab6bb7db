import type { KnownKey } from './known-key.ts';

interface KeyCacheLimits {
  /** Known keys; one that was not used for long leaves first. @defaultValue 100,000 */
  readonly maxKnown?: number;
  /** Hashes that no key has; a flood of guesses must not push out known keys. @defaultValue 10,000 */
  readonly maxUnknown?: number;
  /** Known keys that left, of which only the hash is kept: as many, up to twice. @defaultValue 5,000 */
  readonly maxLeft?: number;
}

/** When all are in use one leaves all the same, and the turn stays short. */
const MAX_LOOKS = 100;

/**
 * What look-ups found, by hash. It knows nothing of time: whoever reads it must hold a fresh
 * lease in the same turn (`epoch-sync.ts`).
 */
export class KeyCache {
  readonly #known = new Map<string, KnownKey>();
  readonly #unknown = new Set<string>();
  /** Of keys that exist and are not known, as they changed or had to leave: whoever shows one again does not guess. */
  #left = new Set<string>();
  /** Those that left before these: dropped together, as a set is slow to give up its first. */
  #leftLonger = new Set<string>();
  /** The keys of a subject: most have one, and a set of one costs as much as the rest of it. */
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

  /** Counts the syncs that brought changes; a look-up notes it before it is sent. */
  get applied(): number {
    return this.#applied;
  }

  get size(): number {
    return this.#known.size + this.#unknown.size;
  }

  /** Whether a key had this hash when last looked up; says nothing of its rights. */
  knows(hash: string): boolean {
    return this.#known.has(hash) || this.#left.has(hash) || this.#leftLonger.has(hash);
  }

  /** @returns the record, `unknown` for a hash that no key has, `undefined` when not cached */
  find(hash: string): KnownKey | 'unknown' | undefined {
    const record = this.#known.get(hash);
    if (record !== undefined) {
      // A mark, and no move to the end of the Map: that would write to it with every request.
      record.wasUsed = true;
      return record;
    }
    if (!this.#unknown.delete(hash)) return undefined;
    this.#unknown.add(hash);
    return 'unknown';
  }

  /**
   * The fill rule: stores what a look-up found, unless a sync brought changes since it was sent.
   * Its snapshot may be older than them, and they were evicted before it came back. That a key has
   * this hash is remembered even so: nothing takes that away from it, and the very first look-ups of
   * a process all cross its first sync.
   */
  fill(hash: string, record: KnownKey | undefined, appliedBefore: number): void {
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
   * Forgets what changed. Also every unknown hash: nothing tells which of them a new key has.
   * @param subjects ids of keys and accounts
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

  /** The oldest leaves, but one that was used since it came, or stayed, stays once more. */
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

function subjectsOf(record: KnownKey): readonly string[] {
  return [record.id, record.accountId];
}

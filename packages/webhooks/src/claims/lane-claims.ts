import type { ClaimedDelivery, EndpointLane } from '@paymount/core/events';
import { Sweep, type SweepPorts } from './sweep.ts';

/** How often a lane is claimed from unless something is known to wait: at each regular poll. */
const CLAIM_EVERY_MS = 800;
/** How often while something is known to wait. */
const BUSY_CLAIM_EVERY_MS = 200;
/** Every so many turns, endpoints of the slow lane that never accepted anything come first. */
const OTHERS_FIRST_EVERY = 4;

/**
 * Claims what is due in one lane. Replays get the slots that fresh events leave free: they are
 * claimed if no fresh delivery is left, and not at each claim while there are none. In the slow lane,
 * endpoints that had accepted an event before are asked first: one of them that is back does not wait
 * for those that have never answered.
 */
export class LaneClaims {
  readonly #ports: SweepPorts;
  readonly #fresh: Sweep;
  /** Some of the fresh ones. */
  readonly #wereQuick: Sweep | undefined;
  readonly #replays: Sweep;
  #claimedAtMs = Number.NEGATIVE_INFINITY;
  #replaysClaimedAtMs = Number.NEGATIVE_INFINITY;
  #hasReplayEnded = false;
  #turns = 0;
  #isWanted = false;
  #isBehind = false;

  constructor(lane: EndpointLane, ports: SweepPorts) {
    this.#ports = ports;
    this.#fresh = new Sweep({ lane, origin: 'event' }, ports);
    const wereQuick = { lane, origin: 'event', wasQuick: true } as const;
    this.#wereQuick = lane === 'slow' ? new Sweep(wereQuick, ports) : undefined;
    this.#replays = new Sweep({ lane, origin: 'replay' }, ports);
  }

  /** Whether it is time to claim again. */
  get isDue(): boolean {
    const everyMs = this.#fresh.hasLeft ? BUSY_CLAIM_EVERY_MS : CLAIM_EVERY_MS;
    return this.#isWanted || this.#agoMs(this.#claimedAtMs) >= everyMs;
  }

  /** Whether the next claim is due at once. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** The next claim is due at once. */
  want(): void {
    this.#isWanted = true;
  }

  /** Claims by id left rows: they are claimed when a slot is free, however short they wait. */
  left(origins: readonly ClaimedDelivery['origin'][]): void {
    this.#isBehind = true;
    if (origins.includes('event')) this.#fresh.left();
    if (origins.includes('replay')) this.#replays.left();
  }

  /**
   * A slot is free.
   * @param origin what it was used for
   * @returns whether the last claim left rows for it, so that the next claim is due at once
   */
  freed(origin: ClaimedDelivery['origin']): boolean {
    this.#hasReplayEnded ||= origin === 'replay';
    const mayReplay = this.#knowsOfReplays && this.#replays.room > 0;
    if (this.#fresh.hasLeft || mayReplay) this.want();
    return this.#isWanted;
  }

  /** Claims once, replays too. @returns the number of rows */
  claim(graceMs: number): Promise<number> {
    return this.#claim(graceMs, true);
  }

  /** Claims once; replays only if some may wait. @returns the number of rows */
  claimWhatMayWait(graceMs: number): Promise<number> {
    const isTime = this.#agoMs(this.#replaysClaimedAtMs) >= CLAIM_EVERY_MS;
    return this.#claim(graceMs, this.#knowsOfReplays || isTime);
  }

  async #claim(mostGraceMs: number, withReplays: boolean): Promise<number> {
    const graceMs = this.#isBehind ? 0 : mostGraceMs;
    this.#isWanted = false;
    this.#isBehind = false;
    this.#claimedAtMs = this.#ports.clock.monotonicMs();
    let count = await this.#claimFresh(graceMs);
    if (withReplays) count += await this.#claimReplays(graceMs);
    this.#isBehind ||= graceMs < mostGraceMs && (this.#fresh.hasLeft || this.#replays.hasLeft);
    return count;
  }

  async #claimFresh(graceMs: number): Promise<number> {
    // While all find a slot, the order says nothing.
    if (this.#wereQuick === undefined || !this.#fresh.hasLeft) return this.#fresh.next(graceMs);
    this.#turns += 1;
    const sweeps = [this.#wereQuick, this.#fresh];
    if (this.#turns % OTHERS_FIRST_EVERY === 0) sweeps.reverse();
    let count = 0;
    for (const sweep of sweeps) count += await sweep.next(graceMs);
    return count;
  }

  /** Fresh ones before the cursor come first. */
  async #claimReplays(graceMs: number): Promise<number> {
    const count = this.#fresh.isThrough ? 0 : await this.#fresh.next(graceMs);
    if (!this.#fresh.isThrough) return count;
    this.#replaysClaimedAtMs = this.#ports.clock.monotonicMs();
    this.#hasReplayEnded = false;
    return count + (await this.#replays.next(graceMs));
  }

  get #knowsOfReplays(): boolean {
    return this.#replays.hasLeft || this.#hasReplayEnded;
  }

  #agoMs(atMs: number): number {
    return this.#ports.clock.monotonicMs() - atMs;
  }
}

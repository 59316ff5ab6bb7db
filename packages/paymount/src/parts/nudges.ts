import type { Guard } from '@paymount/auth';
import type { Nudge } from '@paymount/core/access';
import type { RedisNudge } from '../adapters/redis-nudge.ts';

export interface NudgePorts {
  readonly guard: Pick<Guard, 'nudge'>;
  /** Absent where a pooler is in between. */
  readonly database?: Nudge;
  readonly redis?: RedisNudge;
}

/**
 * What makes a revocation faster than its lease. It carries no authority: a message only makes the
 * guard ask the database sooner, so that a lost one costs half a second at most and a forged one a
 * question.
 */
export class Nudges {
  readonly #ports: NudgePorts;
  #stops: readonly (() => Promise<void>)[] | undefined;

  constructor(ports: NudgePorts) {
    this.#ports = ports;
  }

  /** From now on this process hears of changes; whoever mounts no routes need not. */
  start(): void {
    const { guard, database, redis } = this.#ports;
    const onNudge = (): void => guard.nudge();
    this.#stops ??= [database, redis].flatMap((nudge) => (nudge ? [nudge.listen(onNudge)] : []));
  }

  /** After this process changed access. */
  announce(): void {
    this.#ports.guard.nudge();
    this.#ports.redis?.announce();
  }

  /** Twice is harmless. */
  async close(): Promise<void> {
    const stops = this.#stops ?? [];
    this.#stops = [];
    await Promise.all(stops.map((stop) => stop()));
  }
}

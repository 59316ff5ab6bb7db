import type { Guard } from '@paymount/auth';
import type { AccessChangeNotifier } from '@paymount/core/access';
import type { RedisAccessChangeNotifier } from '../adapters/redis-access-change-notifier.ts';

export interface AccessChangeNotificationPorts {
  readonly guard: Pick<Guard, 'refreshSoon'>;
  /** Absent behind a pooler. */
  readonly database?: AccessChangeNotifier;
  readonly redis?: RedisAccessChangeNotifier;
}

/**
 * Makes a revocation take effect sooner than the lease. It is not security-relevant: a message only
 * makes the guard query the database sooner. A lost message costs half a second at most, and a
 * forged one costs a query.
 */
export class AccessChangeNotifications {
  readonly #ports: AccessChangeNotificationPorts;
  #stops: readonly (() => Promise<void>)[] | undefined;

  constructor(ports: AccessChangeNotificationPorts) {
    this.#ports = ports;
  }

  /** From now on this process is notified of changes; a process without routes does not need it. */
  start(): void {
    const { guard, database, redis } = this.#ports;
    const onChange = (): void => guard.refreshSoon();
    this.#stops ??= [database, redis].flatMap((notifier) =>
      notifier ? [notifier.listen(onChange)] : [],
    );
  }

  /** After this process changed access. */
  announce(): void {
    this.#ports.guard.refreshSoon();
    this.#ports.redis?.announce();
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    const stops = this.#stops ?? [];
    this.#stops = [];
    await Promise.all(stops.map((stop) => stop()));
  }
}

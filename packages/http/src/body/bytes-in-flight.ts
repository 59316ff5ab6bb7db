import { PaymountError } from '@paymount/core/kernel';

/** How many bytes of bodies and answers may be in memory at the same time. */
export interface BytesInFlightLimits {
  /**
   * Of one caller: the keys of an account together, one grant of a platform, one visitor, or one
   * admin. @defaultValue 67,108,864 (64 MiB: twelve of the largest files)
   */
  readonly perCaller?: number;
  /**
   * Of all callers of a process: live, test and admins separately. @defaultValue 268,435,456
   * (256 MiB)
   */
  readonly perProcess?: number;
}

const DEFAULTS: Required<BytesInFlightLimits> = {
  perCaller: 67_108_864,
  perProcess: 268_435_456,
};

/** Callers that share the limit of the process. Those of test cannot take what live needs. */
export type CallerPool = 'live' | 'test' | 'admin';

/** What one request has in memory. */
export interface HeldBytes {
  /** @throws PaymountError `bytes_limit_reached` for the caller, `bodies_busy` for the process */
  take(bytes: number): void;
  /** Gives back all that was taken. */
  release(): void;
}

/** The bytes of bodies and answers in this process. */
export class BytesInFlight {
  readonly #limits: Required<BytesInFlightLimits>;
  readonly #callers = new Map<string, number>();
  readonly #pools = new Map<CallerPool, number>();

  constructor(limits: BytesInFlightLimits = {}) {
    this.#limits = { ...DEFAULTS, ...limits };
  }

  /** Starts to count a request. @param caller whose requests count together */
  open(pool: CallerPool, caller: string): HeldBytes {
    const name = `${pool} ${caller}`;
    let held = 0;
    return {
      take: (bytes) => {
        this.#assertRoom(pool, name, bytes);
        held += bytes;
        add(this.#callers, name, bytes);
        add(this.#pools, pool, bytes);
      },
      release: () => {
        add(this.#callers, name, -held);
        add(this.#pools, pool, -held);
        held = 0;
      },
    };
  }

  #assertRoom(pool: CallerPool, name: string, bytes: number): void {
    const { perCaller, perProcess } = this.#limits;
    if ((this.#callers.get(name) ?? 0) + bytes > perCaller) {
      const message = `Your requests and answers that are in progress would have more than ${perCaller} bytes.`;
      throw new PaymountError('bytes_limit_reached', message);
    }
    if ((this.#pools.get(pool) ?? 0) + bytes > perProcess) throw new PaymountError('bodies_busy');
  }
}

function add<Name>(counts: Map<Name, number>, name: Name, bytes: number): void {
  const sum = (counts.get(name) ?? 0) + bytes;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}

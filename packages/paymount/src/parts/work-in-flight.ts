import { PaymountError, withTimeout } from '@paymount/core/kernel';
import type { Storage } from '@paymount/core/store';

/** The time that a body may take to arrive. */
const CLOSE_LIMIT_MS = 10_000;

/**
 * The work in progress in this process: requests of all mounts, calls of the host's own code, and
 * work that continues after a host's transaction.
 */
export class WorkInFlight {
  #running = 0;
  #isClosing = false;
  #isClosed = false;
  #onIdle: () => void = () => undefined;
  /** Created once, because every request calls it. */
  readonly #onEnd = (): void => {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  };

  /** Once true, requests get 503. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Counts work until it has ended, successfully or not; its owner reports errors. */
  add(ended: Promise<void>): void {
    this.#running += 1;
    void ended.then(this.#onEnd, this.#onEnd);
  }

  /**
   * Counts a call of the host's own code.
   * @param isPart of work in progress (a call by a hook): accepted until everything is closed
   * @throws `unavailable` once closing, and what it throws
   */
  async call<Result>(work: () => Promise<Result>, isPart = false): Promise<Result> {
    if (isPart ? this.#isClosed : this.#isClosing)
      throw new PaymountError('unavailable', 'Paymount was closed here.');
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#onEnd();
    }
  }

  /** Wraps every method of `service` as such a call. */
  calls<Service extends object>(service: Service, isPart = false): Service {
    return new Proxy(service, {
      get: (target, name): unknown => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) =>
          this.call(async () => {
            const result: unknown = await Reflect.apply(method, target, args);
            return result;
          }, isPart);
      },
    });
  }

  /**
   * Counts work after a host's transaction from the moment it is scheduled. If the transaction ends
   * after the limit, the work is not started: the resolver of another process does it.
   */
  joined(storage: Storage): Storage {
    const { host } = storage;
    const { onSettled } = host ?? {};
    if (host === undefined || onSettled === undefined) return storage;
    return {
      ...storage,
      host: {
        ...host,
        onSettled: (then) => {
          const ended = new Promise<void>((resolve) => {
            onSettled(() => {
              const goesOn = this.#isClosed ? Promise.resolve() : then();
              void goesOn.finally(resolve);
              return goesOn;
            });
          });
          this.add(ended);
        },
      },
    };
  }

  /** Accepts no more work, and waits at most 10 s for work in progress. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#running > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      await withTimeout(idle, CLOSE_LIMIT_MS).catch(() => undefined);
    }
    this.#isClosed = true;
  }
}

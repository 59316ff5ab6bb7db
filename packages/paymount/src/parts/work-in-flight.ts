import { PaymountError, withTimeout } from '@paymount/core/kernel';
import type { Storage } from '@paymount/core/store';

/** As long as a body may take to arrive. */
const CLOSE_LIMIT_MS = 10_000;

/**
 * What this process has taken and not ended yet: requests over all its mounts, calls of the host's
 * own code, and what goes on after a host's transaction.
 */
export class WorkInFlight {
  #running = 0;
  #isClosing = false;
  #isClosed = false;
  #onIdle: () => void = () => undefined;
  /** One function for all: each request passes here. */
  readonly #onEnd = (): void => {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  };

  /** Once true, a request is answered 503. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Counts work until it has ended, whether it fails or not: its owner reports failures. */
  add(ended: Promise<void>): void {
    this.#running += 1;
    void ended.then(this.#onEnd, this.#onEnd);
  }

  /**
   * Counts a call of the host's own code.
   * @param isPart of running work (a call by a hook): accepted until everything is closed
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

  /** Every method of `service` as such a call. */
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
   * Counts what goes on after a host's transaction from the moment it is promised. What the
   * transaction lets go of after the limit is not begun: the resolver of another process is as good.
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

  /** Takes no more, and waits for what there is, at most 10 s. */
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

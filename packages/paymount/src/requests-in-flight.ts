import { within } from '@paymount/core';

/** As long as a body may take to arrive. */
const CLOSE_LIMIT_MS = 10_000;

/** The requests that this process has taken and not answered yet, over all its mounts. */
export class RequestsInFlight {
  #running = 0;
  #isClosing = false;
  #onIdle: () => void = () => undefined;
  /** One function for all: each request passes here. */
  readonly #onAnswered = (): void => {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  };

  /** Once true, a request is answered 503. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Counts a request until it is answered. @param answered never rejects */
  add(answered: Promise<void>): void {
    this.#running += 1;
    void answered.then(this.#onAnswered);
  }

  /** Takes no more, and waits for those that there are, at most 10 s. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#running === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await within(idle, CLOSE_LIMIT_MS).catch(() => undefined);
  }
}

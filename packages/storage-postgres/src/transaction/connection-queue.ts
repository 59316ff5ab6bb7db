/** Serializes the work of several callers on one shared connection. */
export class ConnectionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier work has ended, successfully or not. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when all work so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

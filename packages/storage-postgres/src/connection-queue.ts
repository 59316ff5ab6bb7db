/** Lets one thing happen at a time on what several callers share. */
export class ConnectionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when everything that came before has ended, either way. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when everything that has come so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** What a test, benchmark or fault run opened, closed in reverse order. */
export class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = [];

  /** Closes it at the end. */
  add<Opened extends { close(): Promise<unknown> }>(opened: Opened): Opened {
    this.onEnd(() => opened.close());
    return opened;
  }

  onEnd(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  /** Runs every step once, whatever the others do. @throws what the first failing step threw */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

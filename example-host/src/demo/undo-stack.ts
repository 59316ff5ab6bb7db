/** What was opened, to be closed in reverse order, however far the opening came. */
export class UndoStack {
  readonly #steps: (() => Promise<unknown>)[] = [];
  #closing: Promise<void> | undefined;

  /** Adds what undoes the latest opening. */
  push(undo: () => Promise<unknown>): void {
    this.#steps.push(undo);
  }

  /** Undoes everything, and reports the first failure at the end. Twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#undo();
    return this.#closing;
  }

  async #undo(): Promise<void> {
    const failures: unknown[] = [];
    for (const undo of this.#steps.reverse()) {
      await undo().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

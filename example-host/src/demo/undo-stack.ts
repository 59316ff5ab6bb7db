/** Started parts, to be closed in reverse order, also after an incomplete start. */
export class UndoStack {
  readonly #steps: (() => Promise<unknown>)[] = [];
  #closing: Promise<void> | undefined;

  /** Adds a function that closes the part that was started last. */
  push(undo: () => Promise<unknown>): void {
    this.#steps.push(undo);
  }

  /** Closes everything, and throws the first error at the end. Safe to call twice. */
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

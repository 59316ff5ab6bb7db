/** Timers that run when the test says that time went by. */
export class SteppedTimers {
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  readonly #due = new Map<object, { readonly atMs: number; readonly run: () => void }>();
  #nowMs = 0;

  constructor() {
    const fake = {
      setTimeout: (run: () => void, ms = 0): object => {
        const timer = { unref: () => timer };
        this.#due.set(timer, { atMs: this.#nowMs + ms, run });
        return timer;
      },
      clearTimeout: (timer: object): void => void this.#due.delete(timer),
    };
    Object.assign(globalThis, fake);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const [timer, { atMs, run }] of Array.from(this.#due)) {
      if (atMs <= this.#nowMs && this.#due.delete(timer)) run();
    }
  }

  restore(): void {
    Object.assign(globalThis, this.#real);
  }
}

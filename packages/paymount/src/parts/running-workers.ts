import type { Worker } from '@paymount/webhooks';

type Status = ReturnType<Worker['status']>;

/** The workers of this process; almost always none or one. */
export class RunningWorkers {
  readonly #workers = new Set<Pick<Worker, 'status'>>();

  /** @returns forgets it, when it is closed */
  add(worker: Pick<Worker, 'status'>): () => void {
    this.#workers.add(worker);
    return () => this.#workers.delete(worker);
  }

  /** The status of the worker that is furthest behind; undefined without one. */
  status(): Status | undefined {
    const found = [...this.#workers].map((worker) => worker.status());
    return found.toSorted((a, b) => b.pollAgeMs - a.pollAgeMs)[0];
  }
}

import type { WorkerStatus } from '@paymount/webhooks';

/** What a worker of this process does now. */
export interface ProcessWorkerStatus extends WorkerStatus {
  /** Names of scheduled tasks whose last run failed. */
  readonly failingTasks: readonly string[];
}

interface RunningWorker {
  status(): ProcessWorkerStatus;
}

/** The workers of this process; almost always none or one. */
export class RunningWorkers {
  readonly #workers = new Set<RunningWorker>();

  /** @returns forgets it, when it is closed */
  add(worker: RunningWorker): () => void {
    this.#workers.add(worker);
    return () => this.#workers.delete(worker);
  }

  /** The status of the worker that is furthest behind; undefined without one. */
  status(): ProcessWorkerStatus | undefined {
    const found = [...this.#workers].map((worker) => worker.status());
    return found.toSorted((a, b) => b.pollAgeMs - a.pollAgeMs)[0];
  }
}

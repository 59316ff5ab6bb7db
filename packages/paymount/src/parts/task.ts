/** A periodic task, which any process with a worker may run. */
export interface Task {
  readonly name: string;
  readonly everyMs: number;
  /** Whether it runs once before the worker starts. @defaultValue false */
  readonly preparesWorker?: boolean;
  /** Does one bounded batch, shorter when `isClosing`. */
  run(isClosing: () => boolean): Promise<More>;
}

/** More work is waiting, but the next batch begins after a pause that leaves the database to others. */
export interface AfterPause {
  readonly pauseMs: number;
}

/** Whether more work is waiting; a number: milliseconds until more is due. */
export type More = boolean | number | AfterPause;

import type { ChangeResult } from '@paymount/core/changes';
import type { StoredChange } from '@paymount/core/store';

/** The fields of a change that only records events. */
const FIELDS: ReadonlySet<string> = new Set<keyof StoredChange>([
  'accountId',
  'environment',
  'at',
  'writes',
  'events',
  'credential',
]);
const MAX_TOGETHER = 32;
/** While so many commits run, changes wait for the next one. */
const MAX_RUNNING = 2;
/** Commits that take longer do not hold others up. */
const MAX_WAIT_MS = 50;

/** Commits changes; the results are in their order. */
export type CommitTogether = (changes: readonly StoredChange[]) => readonly Promise<ChangeResult>[];

interface Waiting {
  readonly change: StoredChange;
  readonly end: (result: Promise<ChangeResult>) => void;
}

/** Whether a change records events and does nothing else. */
export function onlyRecordsEvents(change: StoredChange): boolean {
  const { events = [], writes } = change;
  return (
    events.length > 0 && writes.length === 0 && Object.keys(change).every((key) => FIELDS.has(key))
  );
}

/**
 * Changes of concurrent callers that share commits. While few commits run, the changes of one turn of
 * the event loop are committed at its end; otherwise all that have come, when a commit has ended.
 * Callers whose changes were committed together often continue together, so their next changes come in
 * one turn.
 */
export class SharedCommits {
  #waiting: Waiting[] = [];
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  /** @param commit called with this change, or by another caller with several */
  apply(change: StoredChange, commit: CommitTogether): Promise<ChangeResult> {
    return new Promise((end) => {
      this.#waiting.push({ change, end });
      if (this.#running < MAX_RUNNING) this.#startSoon(commit);
      else if (this.#waiting.length >= MAX_TOGETHER) this.#start(commit);
      else this.#timer ??= setTimeout(() => this.#start(commit), MAX_WAIT_MS);
    });
  }

  /** At the end of this turn. */
  #startSoon(commit: CommitTogether): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.#start(commit);
    });
  }

  #start(commit: CommitTogether): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const together = this.#waiting.splice(0, MAX_TOGETHER);
    if (together.length === 0) return;
    this.#running += 1;
    const results = commit(together.map(({ change }) => change));
    for (const [index, result] of results.entries()) together[index]?.end(result);
    void Promise.allSettled(results).then(() => {
      this.#running -= 1;
      this.#startSoon(commit);
    });
    if (this.#waiting.length > 0 && this.#running < MAX_RUNNING) this.#startSoon(commit);
  }
}

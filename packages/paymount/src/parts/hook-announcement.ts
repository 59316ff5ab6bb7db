import type { Logger } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';

interface HookPorts {
  /** Whether this process has a hook. */
  readonly options: { readonly hook?: unknown };
  readonly stores: Pick<Stores, 'hookUse'>;
  readonly logger: Logger;
}

const NONE_HERE =
  'Results are recorded with a hook here, and this process has no hook: it keeps them for processes that have it. Start it with the same `hook`; if no process has it any more, run `paymount hook remove --reason TEXT`. docs/how-to/deploy.md says how to introduce and remove a hook.';

const FIRST =
  'A hook is in use from now on, because this process has one: processes without it record no results any more. Start all of them with the same `hook`; if this was a mistake, run `paymount hook remove --reason TEXT`. docs/how-to/deploy.md says how to introduce and remove a hook.';

/**
 * Records once, for all processes, that this one has a hook. A process that mounts routes or starts
 * a worker does so; a command that only uses the hook does not.
 */
export class HookAnnouncement {
  readonly #ports: HookPorts;
  #isDone: boolean;
  #running: Promise<void> | undefined;

  constructor(ports: HookPorts) {
    this.#ports = ports;
    this.#isDone = ports.options.hook === undefined;
  }

  /**
   * Announces it now, unless that is done.
   * @throws the error of storage; the next call tries again
   */
  async announce(): Promise<void> {
    if (this.#isDone) return;
    this.#running ??= this.#begin().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Announces it before the first request of a mount, which tries again if this fails. */
  start(): void {
    this.announce().catch(() => undefined);
  }

  /** Runs work that may record a result, after the announcement. */
  before<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#isDone ? work() : this.announce().then(work);
  }

  async #begin(): Promise<void> {
    const { stores, logger } = this.#ports;
    const isFirst = await stores.hookUse.begin();
    this.#isDone = true;
    if (isFirst) logger.warn({}, FIRST);
  }
}

/** A process without a hook logs at startup that it leaves results to the others. */
export async function warnOfMissingHook({ options, stores, logger }: HookPorts): Promise<void> {
  if (options.hook !== undefined) return;
  const since = await stores.hookUse.since();
  if (since !== undefined) logger.error({ since: since.toISOString() }, NONE_HERE);
}

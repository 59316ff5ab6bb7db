import type { Logger } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';

interface HookPorts {
  /** Whether this process has a hook. */
  readonly options: { readonly hook?: unknown };
  readonly stores: Pick<Stores, 'hookUse'>;
  readonly logger: Logger;
}

const NONE_HERE =
  'Results are recorded with a hook here, and this process has none: it keeps them for processes that have it. Start it with the same `hook`; if no process has it any more, run `paymount hook remove`. docs/how-to/deploy.md says how to introduce and remove a hook.';

const FIRST =
  'A hook is in use from now on, because this process has one: processes without it record no results any more. Start all of them with the same `hook`; if this was a mistake, run `paymount hook remove`. docs/how-to/deploy.md says how to introduce and remove a hook.';

/**
 * Tells all processes, once, that this one records results with a hook. A process does so that mounts
 * routes or starts a worker; a command that only uses the hook does not.
 */
export class HookAnnouncement {
  readonly #ports: HookPorts;
  #isDone: boolean;
  #running: Promise<void> | undefined;

  constructor(ports: HookPorts) {
    this.#ports = ports;
    this.#isDone = ports.options.hook === undefined;
  }

  /** Does it now, unless it is done. @throws what storage throws; the next call tries again */
  async announce(): Promise<void> {
    if (this.#isDone) return;
    this.#running ??= this.#begin().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Does it ahead of the first request of a mount, which tries again if this fails. */
  start(): void {
    this.announce().catch(() => undefined);
  }

  /** Runs what may record a result, once all processes know of the hook. */
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

/** A process without a hook says at boot what it leaves to the others. */
export async function warnOfMissingHook({ options, stores, logger }: HookPorts): Promise<void> {
  if (options.hook !== undefined) return;
  const since = await stores.hookUse.since();
  if (since !== undefined) logger.error({ since: since.toISOString() }, NONE_HERE);
}

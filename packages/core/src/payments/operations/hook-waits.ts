import { HOOK_CURE } from '../../changes/hook-failure.ts';
import { isReported } from '../../changes/hook-log.ts';
import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { MailQueue } from '../../changes/mails/mail-repository.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { OperationDirectory, ReviewCount } from './operation-repository.ts';

interface HookWaitsPorts {
  readonly mails: Pick<MailQueue, 'add'>;
  readonly operations: Pick<OperationDirectory, 'underReview'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this process has a hook. */
  readonly hasHook: boolean;
  /** The recipient of the e-mails. @defaultValue nobody */
  readonly operator?: string | undefined;
}

/**
 * Notifies people of results that have waited for the hook for more than 5 minutes: one e-mail a
 * day for each environment, and, in a process without a hook, an error line with increasing
 * intervals.
 */
export class HookWaits {
  readonly #ports: HookWaitsPorts;
  #times = 0;

  constructor(ports: HookWaitsPorts) {
    this.#ports = ports;
  }

  /** Checks once; call it every minute. */
  async check(): Promise<void> {
    const { operations, hasHook } = this.#ports;
    const review = await operations.underReview();
    const waiting = review.live.hookWaits + review.test.hookWaits;
    this.#times = waiting === 0 ? 0 : this.#times + 1;
    if (!hasHook && isReported(this.#times)) this.#log(review);
    for (const environment of ['live', 'test'] as const) {
      if (review[environment].hookWaits > 0) await this.#write(environment, review[environment]);
    }
  }

  #log({ live, test }: Readonly<Record<Environment, ReviewCount>>): void {
    this.#ports.logger.error(
      { live: live.hookWaits, test: test.hookWaits },
      `Results wait for a process with the hook and are not recorded; this worker has no hook. \`paymount operations list\` shows them. ${HOOK_CURE}`,
    );
  }

  async #write(environment: Environment, { hookWaits }: ReviewCount): Promise<void> {
    const { mails, clock, operator } = this.#ports;
    if (operator === undefined) return;
    const created = clock.now();
    await mails.add({
      id: newId('mail'),
      dedupeKey: `hook_waits:${environment}:${created.toISOString().slice(0, 10)}`,
      ...{ to: operator, created },
      ...composeMail({
        subject: `${hookWaits} ${environment} ${hookWaits === 1 ? 'result waits' : 'results wait'} for the hook`,
        parts: [
          'The processor reported the outcome, but it is not recorded: the hook refused it, or no running worker has the hook. The charges keep their status meanwhile.',
          'Start the workers with the same hook as the app, or look in the log for the error of the hook. If no process has a hook any more, run: paymount hook remove',
          'See them with: paymount operations list',
        ],
      }),
    });
  }
}

import { HOOK_CURE } from '../../changes/hook-failure.ts';
import { isReported } from '../../changes/hook-log.ts';
import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { MailQueue } from '../../changes/mails/mail-repository.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { OperationDirectory } from '../operations/operation-repository.ts';
import type { NoticeDirectory } from './notice-repository.ts';

interface HookWaitsPorts {
  readonly mails: Pick<MailQueue, 'add'>;
  readonly operations: Pick<OperationDirectory, 'underReview'>;
  readonly notices: Pick<NoticeDirectory, 'underReview'>;
  readonly testClocks: { hookWaits(): Promise<number> };
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
    const { hasHook } = this.#ports;
    const waits = await this.#count();
    const waiting = waits.live + waits.test;
    this.#times = waiting === 0 ? 0 : this.#times + 1;
    if (!hasHook && isReported(this.#times)) this.#log(waits);
    for (const environment of ['live', 'test'] as const) {
      if (waits[environment] > 0) await this.#write(environment, waits[environment]);
    }
  }

  /** Results of operations, notices, and test clocks. */
  async #count(): Promise<Readonly<Record<Environment, number>>> {
    const { operations, notices, testClocks } = this.#ports;
    const results = await operations.underReview();
    const reported = await notices.underReview();
    return {
      live: results.live.hookWaits + reported.live.hookWaits,
      test: results.test.hookWaits + reported.test.hookWaits + (await testClocks.hookWaits()),
    };
  }

  #log(waits: Readonly<Record<Environment, number>>): void {
    this.#ports.logger.error(
      waits,
      `Results wait for a process with the hook and are not recorded; this worker has no hook. \`paymount operations list\` and \`paymount notices list\` show them; the management API lists test clocks. ${HOOK_CURE}`,
    );
  }

  async #write(environment: Environment, hookWaits: number): Promise<void> {
    const { mails, clock, operator } = this.#ports;
    if (operator === undefined) return;
    const created = clock.now();
    await mails.add({
      id: newId('mail'),
      dedupeKey: `hook_waits:${environment}:${created.toISOString().slice(0, 10)}`,
      to: operator,
      created,
      ...composeMail({
        subject: `${hookWaits} ${environment} ${hookWaits === 1 ? 'result waits' : 'results wait'} for the hook`,
        parts: [
          'A result is known, but it is not recorded: the hook refused it, or no running worker has the hook. Its charge, refund or payout keeps its status meanwhile.',
          'Start the workers with the same hook as the app, or look in the log for the error of the hook. If no process has a hook any more, run: paymount hook remove --reason TEXT',
          'See them with: paymount operations list, and: paymount notices list. Test clocks are in the management API: GET /test_clocks?status=advancing',
        ],
      }),
    });
  }
}

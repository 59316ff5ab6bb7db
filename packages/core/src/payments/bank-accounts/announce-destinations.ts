import type { Change } from '../../changes/change.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { BankAccountId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { bankAccountAudit } from './bank-account-audit.ts';
import { destinationMail } from './bank-account-mail.ts';
import type {
  UnannouncedDestination,
  UnannouncedDestinationQueue,
} from './bank-account-repository.ts';

const OURSELVES: AuditContext = { actor: { type: 'system', id: 'paymount' }, via: 'worker' };
const REASON = 'An earlier version of Paymount made the change; who asked for it is not known.';

/**
 * Tells owners of bank accounts that a process of an earlier version added, or made the default, during a
 * deployment: with the audit row and, in live, the e-mail that this version writes with such a change.
 * Storage holds payouts there at once. Safe to run anywhere and again.
 */
export async function announceDestinations({
  unannounced,
  clock,
  logger,
  isClosing,
}: {
  readonly unannounced: UnannouncedDestinationQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isClosing: () => boolean;
}): Promise<void> {
  const failed: BankAccountId[] = [];
  let taken: BankAccountId | undefined;
  const decide = (found: UnannouncedDestination): Change<never> => {
    taken = found.bankAccount.id;
    const facts = { bank_account: found.bankAccount.id, news: found.news };
    logger.warn(facts, 'An earlier version changed where payouts go; its owner is notified.');
    return announcement(found, clock.now());
  };
  while (!isClosing()) {
    taken = undefined;
    try {
      if (!(await unannounced.next(decide, failed))) return;
    } catch (error) {
      if (taken === undefined) throw error;
      // Tried again in the next pass: it must not keep the others from being told.
      failed.push(taken);
      const facts = { bank_account: taken, err: isError(error) ? error : undefined };
      logger.warn(
        facts,
        'The owner of a bank account could not be notified; Paymount tries again.',
      );
    }
  }
}

function announcement({ news, bankAccount }: UnannouncedDestination, at: Date): Change<never> {
  const { accountId, environment, status } = bankAccount;
  // One that is not the default any more was replaced within seconds: there is nothing to be told.
  const isPast = news === 'default' && !bankAccount.isDefault;
  const isTold = environment === 'live' && status !== 'deleted' && !isPast;
  const action = news === 'default' ? 'update' : 'create';
  return {
    accountId,
    environment,
    at,
    writes: [],
    ...bankAccountAudit(OURSELVES, { action, after: bankAccount, at, reason: REASON }),
    ...(isTold && { mails: [destinationMail(bankAccount, news, undefined, at)] }),
  };
}

import type { AreaStorage } from '../../changes/area-storage.ts';
import { applyIn } from '../../changes/commit.ts';
import { BY_TIME } from '../../changes/events/event-cause.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { clockField } from '../../payments/test-clocks/object-clock.ts';
import { type InvoiceOwners, ownerOfInvoice } from './invoice-owner.ts';
import type { InvoiceQueue, MissedResult } from './invoice-repository.ts';
import { type InvoiceReaders, type InvoiceRepositories, invoiceUpdate } from './invoice-storage.ts';
import { followCharge } from './invoice-subjects.ts';

/** Read at once. */
const LIMIT = 100;

export interface MissedPorts<Rows extends InvoiceRepositories = InvoiceRepositories> {
  readonly storage: AreaStorage<InvoiceReaders, Rows>;
  readonly queue: Pick<InvoiceQueue, 'findMissed'>;
  readonly invoiceOwners: Pick<InvoiceOwners<unknown, Rows>, 'hold'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Lets invoices know of results of their charges that a process of the previous version recorded: while both
 * run, that one knows of no invoices. One that fails delays nobody: the next pass tries it again.
 */
export async function concludeMissed<Rows extends InvoiceRepositories>(
  ports: MissedPorts<Rows>,
  isClosing: () => boolean,
): Promise<void> {
  const { queue, logger } = ports;
  let missed = await queue.findMissed(LIMIT);
  while (missed.length > 0) {
    for (const each of missed) {
      if (isClosing()) return;
      const facts = { account: each.accountId, invoice: each.invoiceId, charge: each.chargeId };
      try {
        if (!(await conclude(ports, each))) continue;
        const done = 'The result of a charge was recorded without its invoice; now it has both.';
        logger.warn(facts, done);
      } catch (error) {
        const err = isError(error) ? error : undefined;
        const message =
          'The result of a charge could not be recorded with its invoice; Paymount tries again in ten minutes.';
        logger.error({ ...facts, err }, message);
      }
    }
    missed = missed.length < LIMIT ? [] : await queue.findMissed(LIMIT, missed.at(-1));
  }
}

async function conclude<Rows extends InvoiceRepositories>(
  { storage, invoiceOwners, clock }: MissedPorts<Rows>,
  { chargeId, invoiceId, ...account }: MissedResult,
): Promise<boolean> {
  return storage.transaction(async (rows) => {
    const charge = await rows.charges.findForUpdate(account, chargeId);
    const seen = await rows.invoices.find(account, invoiceId);
    if (charge === undefined || seen === undefined) return false;
    const owner = await ownerOfInvoice(seen, BY_TIME, (of) => invoiceOwners.hold(rows, of));
    const invoice = await rows.invoices.findForUpdate(account, invoiceId);
    if (invoice === undefined || invoice.chargeId !== charge.id) return false;
    const at = clock.now();
    const followed = followCharge(charge, { invoice, owner, at });
    if (followed === undefined) return false;
    const { effects, invoice: after } = followed;
    await applyIn(rows, {
      ...account,
      at,
      ...clockField(invoice),
      ...effects,
      writes: [...effects.writes, ...(after === invoice ? [] : [invoiceUpdate(invoice, after)])],
    });
    return true;
  });
}

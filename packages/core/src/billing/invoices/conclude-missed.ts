import type { AreaStorage } from '../../changes/area-storage.ts';
import { applyIn } from '../../changes/commit.ts';
import { BY_TIME } from '../../changes/events/event-cause.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { clockField } from '../../payments/test-clocks/object-clock.ts';
import { type InvoiceOwners, ownerOfInvoice } from './invoice-owner.ts';
import type { InvoiceQueue, MissedResult } from './invoice-repository.ts';
import { type InvoiceReaders, type InvoiceRepositories, invoiceUpdate } from './invoice-storage.ts';
import { followCharge } from './invoice-subjects.ts';

/** In one pass. */
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
 * run, that one knows of no invoices.
 * @returns whether there may be more
 */
export async function concludeMissed<Rows extends InvoiceRepositories>(
  ports: MissedPorts<Rows>,
  isClosing: () => boolean,
): Promise<boolean> {
  const { queue, logger } = ports;
  const missed = await queue.findMissed(LIMIT);
  for (const each of missed) {
    if (isClosing()) return false;
    if (await conclude(ports, each)) {
      const facts = { invoice: each.invoiceId, charge: each.chargeId };
      logger.warn(
        facts,
        'The result of a charge was recorded without its invoice; now it has both.',
      );
    }
  }
  return missed.length === LIMIT;
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

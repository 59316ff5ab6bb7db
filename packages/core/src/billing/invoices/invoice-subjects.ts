import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import { chargeIdOf } from '../../payments/charges/charge-of-operation.ts';
import { writtenCharge } from '../../payments/charges/charge-storage.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { SubjectChange } from '../../payments/operations/operation-change.ts';
import type { Subject } from '../../payments/operations/operation-subject.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Subjects } from '../../payments/wiring/operation-storage.ts';
import type { PaymentRepositories } from '../../payments/wiring/payment-storage.ts';
import type { SubjectReaders } from '../../payments/wiring/subject-loaders.ts';
import { allows, type Invoice, paid } from './invoice.ts';
import type { InvoiceReader, InvoiceRepository } from './invoice-repository.ts';
import { toInvoiceResource } from './invoice-resource.ts';
import { invoiceUpdate } from './invoice-storage.ts';

/** What else an operation of a charge reads, and locks. */
interface Read extends SubjectReaders {
  readonly invoices: InvoiceReader;
}
interface Rows extends PaymentRepositories {
  readonly invoices: InvoiceRepository;
}

/** What operations are about, with the invoices that charges pay. */
export type BilledSubjects = Subjects<Read, Rows>;

/**
 * The same subjects, with what follows from the result of an invoice's charge: the invoice is paid in
 * the same commit. Locks: the charge, then its invoice.
 */
export function withInvoices({ loaders, lock }: Subjects): BilledSubjects {
  return {
    loaders: {
      ...loaders,
      authorize: async (operation, read) => {
        const subject = await loaders.authorize(operation, read);
        const invoice = await invoiceOf(operation, read, read.invoices.find.bind(read.invoices));
        return invoice === undefined ? subject : withInvoice(subject, invoice);
      },
    },
    async lock(rows, operation) {
      await lock(rows, operation);
      if (operation.kind !== 'authorize') return;
      await invoiceOf(operation, rows, rows.invoices.findForUpdate.bind(rows.invoices));
    },
  };
}

async function invoiceOf(
  operation: Operation,
  { charges }: Pick<Read, 'charges'>,
  find: InvoiceReader['find'],
): Promise<Invoice | undefined> {
  const chargeId = chargeIdOf(operation);
  const charge = chargeId && (await charges.find(operation, chargeId));
  return charge?.invoiceId && find(operation, charge.invoiceId);
}

function withInvoice(subject: Subject, invoice: Invoice): Subject {
  return {
    ...subject,
    conclude: (operation, result, at) =>
      addInvoice(subject.conclude(operation, result, at), invoice, operation),
  };
}

/** The request for the charge asked for its invoice to be paid, and gets the invoice as the answer. */
function addInvoice(
  change: SubjectChange,
  invoice: Invoice,
  { idempotencyKey: key }: Operation,
): SubjectChange {
  const charge = writtenCharge(change);
  const isPaid = charge?.status === 'succeeded' && allows(invoice, 'pay');
  const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
  const write =
    isPaid && isPayable
      ? invoiceUpdate(invoice, paid(invoice, timeOf(charge, change.at)))
      : undefined;
  const answer = toStoredResponse(toInvoiceResource(write?.row ?? invoice));
  return {
    ...change,
    writes: write === undefined ? change.writes : [...change.writes, write],
    ...(key !== undefined &&
      charge?.status !== 'failed' && { response: { key, response: answer } }),
  };
}

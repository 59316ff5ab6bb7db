import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import { awaitsClearing } from '../../payments/charges/charge.ts';
import { chargeIdOf } from '../../payments/charges/charge-of-operation.ts';
import { writtenCharge } from '../../payments/charges/charge-storage.ts';
import { causeOfResult } from '../../payments/operations/cause-of-result.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { SubjectChange } from '../../payments/operations/operation-change.ts';
import type { Subject } from '../../payments/operations/operation-subject.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Subjects } from '../../payments/wiring/operation-storage.ts';
import type { PaymentRepositories } from '../../payments/wiring/payment-storage.ts';
import type { SubjectReaders } from '../../payments/wiring/subject-loaders.ts';
import { cardKey } from './charge-invoice.ts';
import { type Invoice, paid } from './invoice.ts';
import {
  type FailedAttempt,
  type Followed,
  type InvoiceOwner,
  type InvoiceOwners,
  ownerOfInvoice,
} from './invoice-owner.ts';
import type { InvoiceReader, InvoiceRepository } from './invoice-repository.ts';
import { type AddressOfInvoice, toInvoiceResource } from './invoice-resource.ts';
import { invoiceUpdate } from './invoice-storage.ts';

/** What else an operation of a charge reads, and locks. */
interface Read extends SubjectReaders {
  readonly invoices: InvoiceReader;
}
interface Rows extends PaymentRepositories {
  readonly invoices: InvoiceRepository;
}

/**
 * The same subjects, with what follows from the result of an invoice's charge, in the same commit: the
 * invoice is paid, and its owner gets to know. Locks: the charge, then the owner, then the invoice.
 */
export function withInvoices<MoreRead, MoreRows>(
  { loaders, lock }: Subjects,
  owners: InvoiceOwners<Read & MoreRead, Rows & MoreRows>,
  addressOf: AddressOfInvoice,
): Subjects<Read & MoreRead, Rows & MoreRows> {
  return {
    loaders: {
      ...loaders,
      authorize: async (operation, read) => {
        const subject = await loaders.authorize(operation, read);
        const charged = await chargedInvoice(operation, read);
        if (charged === undefined) return subject;
        const { invoice, charge } = charged;
        const cause = causeOfResult(charge, operation);
        const owner = await ownerOfInvoice(invoice, cause, (of) => owners.load(read, of));
        return withInvoice(subject, { invoice, owner, addressOf });
      },
    },
    async lock(rows, operation) {
      await lock(rows, operation);
      if (operation.kind !== 'authorize') return;
      const charged = await chargedInvoice(operation, rows);
      if (charged === undefined) return;
      const { invoice, charge } = charged;
      const cause = causeOfResult(charge, operation);
      await ownerOfInvoice(invoice, cause, (of) => owners.hold(rows, of));
      await rows.invoices.findForUpdate(invoice, invoice.id);
    },
  };
}

async function chargedInvoice(
  operation: Operation,
  { charges, invoices }: Pick<Read, 'charges' | 'invoices'>,
): Promise<{ readonly invoice: Invoice; readonly charge: Charge } | undefined> {
  const chargeId = chargeIdOf(operation);
  const charge = chargeId && (await charges.find(operation, chargeId));
  if (!charge?.invoiceId) return undefined;
  const invoice = await invoices.find(operation, charge.invoiceId);
  return invoice && { invoice, charge };
}

interface Invoiced {
  readonly invoice: Invoice;
  readonly owner: InvoiceOwner;
  readonly addressOf: AddressOfInvoice;
}

/** A charge of an invoice as it was committed, with the owner of the invoice. */
export interface CommittedCharge extends Omit<Invoiced, 'addressOf'> {
  readonly charge: Charge;
}

/**
 * The subject of the charge of an invoice, prepared without a read by who committed it. Whatever changes one of its
 * rows gives that a new version, so a result that was computed from an older one is not recorded but computed again.
 */
export type PrepareInvoiceCharge = (committed: CommittedCharge) => Subject;

/** @param prepareCharge prepares the charge alone */
export function invoiceChargePreparer(
  prepareCharge: (charge: Charge) => Subject,
  addressOf: AddressOfInvoice,
): PrepareInvoiceCharge {
  return ({ charge, invoice, owner }) =>
    withInvoice(prepareCharge(charge), { invoice, owner, addressOf });
}

function withInvoice(subject: Subject, invoiced: Invoiced): Subject {
  return {
    ...subject,
    conclude(operation, result, at) {
      const change = subject.conclude(operation, result, at);
      return addInvoice(change, operation, invoiced);
    },
  };
}

/** The request for the charge asked for its invoice to be paid, and gets the invoice as the answer. */
function addInvoice(
  change: SubjectChange,
  operation: Operation,
  { invoice, owner, addressOf }: Invoiced,
): SubjectChange {
  const charge = writtenCharge(change);
  const followed = charge && followCharge(charge, { invoice, owner, at: change.at });
  const isChanged = followed !== undefined && followed.invoice !== invoice;
  const write = isChanged ? invoiceUpdate(invoice, followed.invoice) : undefined;
  const { writes = [], events = [], ...more } = followed?.effects ?? {};
  const { idempotencyKey: key, answers } = operation;
  const isStrict = answers === undefined || answers === 'subscription_or_error';
  const isError = charge?.status === 'failed' && isStrict;
  const answerOf = followed?.answer ?? owner.answer?.bind(owner);
  const shownTo = (): object => {
    const shown = answers === undefined ? undefined : answerOf?.(answers);
    return shown ?? toInvoiceResource(write?.row ?? invoice, addressOf);
  };
  return {
    ...change,
    ...more,
    // The owner first: in this order all who lock them do.
    writes: [...change.writes, ...writes, ...(write === undefined ? [] : [write])],
    events: [...(change.events ?? []), ...events],
    ...(key !== undefined &&
      !isError && { response: { key, response: toStoredResponse(shownTo()) } }),
  };
}

/**
 * An invoice and its owner after a result of its charge.
 * @returns undefined if nothing is known yet, or if the invoice needs no money any more
 */
export function followCharge(
  charge: Charge,
  {
    invoice,
    owner,
    at,
  }: { readonly invoice: Invoice; readonly owner: InvoiceOwner; readonly at: Date },
): Followed | undefined {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return undefined;
  const now = timeOf(charge, at);
  switch (charge.status) {
    case 'succeeded':
      return owner.paid(paid(invoice, now), at);
    case 'failed':
      return owner.failed(invoice, failureOf(charge), at);
    case 'pending':
      return awaitsClearing(charge) ? owner.debited(invoice, at) : undefined;
    case 'authorized':
    case 'canceled':
      return undefined;
  }
}

function failureOf({
  failure,
  method,
  createdBy,
  paymentMethodId,
}: Extract<Charge, { status: 'failed' }>): FailedAttempt {
  const { code, declineCode } = failure;
  const isDebit = method.type === 'us_bank_account' && ({ isDebit: true } as const);
  return {
    failure: { code, ...(declineCode !== undefined && { declineCode }), ...isDebit },
    isScheduled: createdBy?.type === 'system',
    methodId: paymentMethodId,
    card: cardKey(method),
  };
}

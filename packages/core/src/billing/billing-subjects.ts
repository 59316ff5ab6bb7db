import type { Subjects } from '../payments/wiring/operation-storage.ts';
import type { PaymentReaders, PaymentRepositories } from '../payments/wiring/payment-storage.ts';
import type { SubjectReaders } from '../payments/wiring/subject-loaders.ts';
import type { BillingReaders, BillingRepositories } from './billing-storage.ts';
import type { AddressOfInvoice } from './invoices/invoice-resource.ts';
import { withInvoices } from './invoices/invoice-subjects.ts';
import { SUBSCRIPTION_OWNERS } from './subscriptions/subscription-owner.ts';

/** What operations are about, with the invoices that charges pay, and their subscriptions. */
export type BillingSubjects = Subjects<
  SubjectReaders &
    BillingReaders &
    Pick<PaymentReaders, 'customers'> & {
      readonly paymentMethods: Pick<PaymentReaders['paymentMethods'], 'find'>;
    },
  PaymentRepositories & BillingRepositories
>;

/** The subjects of payments, with what follows in billing from the result of a charge. */
export function billingSubjects(subjects: Subjects, addressOf: AddressOfInvoice): BillingSubjects {
  return withInvoices(subjects, SUBSCRIPTION_OWNERS, addressOf);
}

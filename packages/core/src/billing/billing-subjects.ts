import type { Charge } from '../payments/charges/charge.ts';
import type { Subject } from '../payments/operations/operation-subject.ts';
import type { Subjects } from '../payments/wiring/operation-storage.ts';
import type { PaymentReaders, PaymentRepositories } from '../payments/wiring/payment-storage.ts';
import type { SubjectReaders } from '../payments/wiring/subject-loaders.ts';
import type { BillingReaders, BillingRepositories } from './billing-storage.ts';
import type { AddressOfInvoice } from './invoices/invoice-resource.ts';
import {
  invoiceChargePreparer,
  type PrepareInvoiceCharge,
  withInvoices,
} from './invoices/invoice-subjects.ts';
import { SUBSCRIPTION_OWNERS } from './subscriptions/subscription-owner.ts';

/** What operations are about, with the invoices that charges pay, and their subscriptions. */
export type BillingSubjects = Subjects<
  SubjectReaders &
    BillingReaders &
    Pick<PaymentReaders, 'customers'> & {
      readonly paymentMethods: Pick<PaymentReaders['paymentMethods'], 'find'>;
    },
  PaymentRepositories & BillingRepositories
> & { readonly prepareInvoiceCharge: PrepareInvoiceCharge };

/** The subjects of payments, with what follows in billing from the result of a charge. */
export function billingSubjects(
  subjects: Subjects,
  ports: {
    readonly prepareCharge: (charge: Charge) => Subject;
    readonly addressOf: AddressOfInvoice;
  },
): BillingSubjects {
  const { prepareCharge, addressOf } = ports;
  return {
    ...withInvoices(subjects, SUBSCRIPTION_OWNERS, addressOf),
    prepareInvoiceCharge: invoiceChargePreparer(prepareCharge, addressOf),
  };
}

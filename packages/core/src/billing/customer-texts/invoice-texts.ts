/**
 * The texts that customers read about their invoices, in one language. `{amount}`, `{date}`, `{number}`,
 * `{from}`, `{until}`, `{brand}`, `{last4}`, `{seller}`, `{plan}`, `{method}` and `{request}` are replaced.
 */
export interface InvoiceTexts {
  readonly testMode: string;
  /** The headings of the two papers. */
  readonly titles: {
    readonly invoice: string;
    readonly receipt: string;
  };
  readonly labels: {
    readonly number: string;
    readonly issued: string;
    readonly due: string;
    readonly paid: string;
    readonly period: string;
    readonly paidWith: string;
    readonly from: string;
    readonly billedTo: string;
    readonly description: string;
    readonly quantity: string;
    readonly amount: string;
    readonly subtotal: string;
    readonly total: string;
    /** Of the balance: what a credit paid. */
    readonly creditUsed: string;
    /** What the customer owed from before. */
    readonly owedBefore: string;
    /** What becomes a credit, because the total is negative. */
    readonly credited: string;
    readonly amountDue: string;
    readonly amountPaid: string;
    readonly refunded: string;
    readonly page: string;
  };
  readonly methods: {
    readonly card: string;
    readonly bankAccount: string;
    readonly elsewhere: string;
  };
  /** Whether it is to be paid, or was paid, in a sentence. */
  readonly states: {
    readonly open: string;
    readonly dueOn: string;
    readonly overdue: string;
    readonly paid: string;
    readonly paidElsewhere: string;
    readonly nothingDue: string;
    readonly void: string;
    readonly uncollectible: string;
  };
  readonly span: string;
  readonly links: {
    readonly invoicePdf: string;
    readonly receiptPdf: string;
    readonly invoice: string;
    readonly receipt: string;
  };
  readonly mails: {
    readonly invoiceSubject: string;
    readonly invoice: string;
    readonly pay: string;
    readonly receiptSubject: string;
    readonly receipt: string;
    readonly failedSubject: string;
    readonly failed: string;
    readonly triedAgain: string;
    readonly otherMethod: string;
    readonly cardSubject: string;
    readonly card: string;
    readonly newCard: string;
    readonly upcomingSubject: string;
    readonly upcoming: string;
    readonly canceledSubject: string;
    readonly canceled: string;
  };
  readonly problems: {
    readonly title: string;
    readonly unknown: string;
    readonly tooMany: string;
    readonly unavailable: string;
    readonly failed: string;
  };
}

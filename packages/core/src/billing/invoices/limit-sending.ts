import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Invoice } from './invoice.ts';
import { sentByHand } from './invoice-mail.ts';
import type { InvoiceRepositories } from './invoice-storage.ts';

const DAY_SECONDS = 86_400;
/** The e-mails with one invoice that a person may send in 24 hours. */
const MOST_IN_A_DAY = 10;

/**
 * Spares customers, and the name of the host's mail server. The lock on the row of the invoice makes it exact.
 * @throws PaymountError `rate_limit`
 */
export async function assertFewSent(
  { invoices }: Pick<InvoiceRepositories, 'invoices'>,
  invoice: Invoice,
  at: Date,
): Promise<void> {
  const since = new Date(at.getTime() - DAY_SECONDS * 1_000);
  const begin = sentByHand(invoice.id);
  const sent = await invoices.countMails(invoice.customerId, { begin, since });
  if (sent < MOST_IN_A_DAY) return;
  const message = `This invoice was sent ${MOST_IN_A_DAY} times within 24 hours; send it again tomorrow.`;
  throw new PaymountError('rate_limit', message, { retryAfterSeconds: DAY_SECONDS });
}

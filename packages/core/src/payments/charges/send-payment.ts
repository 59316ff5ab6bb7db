import { assertInTime, notSendable, type SentFacts } from '../operations/operation-subject.ts';
import type { Outcome, Processor, ProcessorOperation } from '../processor/processor.ts';
import type { DebitedAccount } from '../processor/tokenization.ts';

/** The facts of a request about a payment that only its object knows. */
export interface PaymentRequest extends Omit<ProcessorOperation, keyof SentFacts> {
  /**
   * Opens the number of the bank account that was debited, only to send it: undefined if the processor
   * keeps it. Absent for a card.
   * @throws NotSentError if it cannot be opened right now
   */
  readonly openAccount?: () => Promise<DebitedAccount | undefined>;
}

/**
 * Sends an authorization, a capture, a cancellation or a refund.
 * @throws NotSentError if it was certainly not sent
 */
export async function sendPayment(
  processor: Processor,
  sent: SentFacts,
  request: PaymentRequest,
): Promise<Outcome> {
  const { kind, ...facts } = sent;
  switch (kind) {
    case 'authorize':
    case 'capture':
    case 'cancel':
    case 'refund': {
      const { openAccount, paymentMethod, ...rest } = request;
      const bankAccount = await openAccount?.();
      const opened = bankAccount === undefined ? {} : { bankAccount };
      assertInTime(sent);
      return processor[kind]({ ...rest, ...facts, paymentMethod: { ...paymentMethod, ...opened } });
    }
    case 'payout':
    case 'submit_evidence':
    case 'accept_dispute':
      throw notSendable(processor, sent);
  }
}

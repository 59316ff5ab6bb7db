import {
  assertInTime,
  notSendable,
  type SentFacts,
  toTestClock,
} from '../operations/operation-subject.ts';
import type { BankDestination, Outcome, Processor } from '../processor/processor.ts';
import type { Payout } from './payout.ts';

/** What is sent of a payout. */
interface PayoutRequest {
  readonly payout: Payout;
  /** @throws PaymountError `unavailable` if the sealing keys cannot be reached right now */
  readonly openDestination: () => Promise<BankDestination>;
}

/**
 * Sends a payout; its account number is opened only for that.
 * @throws PaymountError as `openDestination`
 * @throws NotSentError if it was certainly not sent
 */
export async function sendPayout(
  processor: Processor,
  sent: SentFacts,
  { payout, openDestination }: PayoutRequest,
): Promise<Outcome> {
  const { kind, ...facts } = sent;
  if (kind !== 'payout' || processor.payout === undefined) throw notSendable(processor, sent);
  const destination = await openDestination();
  assertInTime(sent);
  const { metadata, statementDescriptor } = payout;
  return processor.payout({
    metadata,
    ...(statementDescriptor === null ? {} : { statementDescriptor }),
    ...toTestClock(payout),
    ...facts,
    destination,
  });
}

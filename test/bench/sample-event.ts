import { buildEvent, type Event } from '@paymount/core/changes';
import type { AccountId } from '@paymount/core/kernel';

/** Fills the body of an event up to 1 KiB. */
const FILLER = 'x'.repeat(760);
let made = 0;

/** Whose events a sender without accounts sends. */
export const ACCOUNT = 'acct_bench' as AccountId;

/** An event of about 1 KiB, in test mode. */
export function sampleEvent(accountId: AccountId): Event {
  made += 1;
  const object = { id: `ch_${process.pid}_${made}`, object: 'charge', description: FILLER };
  return buildEvent({
    owner: { accountId, environment: 'test' },
    type: 'charge.succeeded',
    object,
    objectVersion: 1,
    at: new Date(),
    source: 'trigger',
  });
}

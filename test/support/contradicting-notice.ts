import { type AccountId, parseId } from '@paymount/core/kernel';
import type { Notice } from 'paymount/processor';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';

interface Owner {
  readonly account: AccountId;
  readonly environment: 'live' | 'test';
}

/** A notice that a charge failed which succeeded. @returns its id; it waits for a person */
export async function contradictingNotice(
  app: AdminApp,
  { account, environment }: Owner,
  charge: string,
): Promise<string> {
  const { stores, noticeInbox, processors, clock } = partsOf(app.paymount);
  const scope = { accounts: [account], environments: [environment] };
  const filter = { state: 'any', subject: charge } as const;
  const { data } = await stores.directory.operations.list(scope, filter, { limit: 1 });
  const operationId = parseId('op', data[0]?.id);
  if (operationId === undefined) throw new Error(`${charge} has no operation.`);
  const notice: Notice = {
    noticeId: `failed ${charge}`,
    kind: 'charge.failed',
    operationId,
    occurredAt: clock.now(),
    data: { code: 'card_declined', message: 'No.' },
  };
  const [id] = await stores.notices.record({
    origin: { environment, processor: processors[environment].name },
    notices: [notice],
    at: clock.now(),
    leaseMs: 0,
  });
  if (id === undefined) throw new Error('The notice was there before.');
  await noticeInbox.applyAll([id]);
  return id;
}

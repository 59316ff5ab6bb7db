import { type AccountId, parseId, type StoredNoticeId } from '@paymount/core/kernel';
import type { Notice } from 'paymount/processor';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';
import { eventually } from './eventually.ts';

export interface NoticeOwner {
  readonly account: AccountId;
  readonly environment: 'live' | 'test';
}

type Reported = Pick<Notice, 'noticeId' | 'kind' | 'data'>;

/** Stores a notice about the operation of a charge, until it was tried. @returns its id */
export async function recordNotice(
  app: AdminApp,
  { account, environment }: NoticeOwner,
  charge: string,
  reported: Reported,
): Promise<StoredNoticeId> {
  const { stores, noticeInbox, processors, clock } = partsOf(app.paymount);
  const scope = { accounts: [account], environments: [environment] };
  const filter = { state: 'any', subject: charge } as const;
  const { data } = await stores.directory.operations.list(scope, filter, { limit: 1 });
  const operationId = parseId('op', data[0]?.id);
  if (operationId === undefined) throw new Error(`${charge} has no operation.`);
  const at = clock.now();
  const notice = { ...reported, operationId, occurredAt: at } as Notice;
  const origin = { environment, processor: processors[environment].name };
  const [id] = await stores.notices.record({ origin, notices: [notice], at, leaseMs: 0 });
  if (id === undefined) throw new Error('The notice was there before.');
  await noticeInbox.applyAll([id]);
  // The worker of the app may have begun with it first.
  await eventually(
    () => stores.directory.notices.find(scope, id),
    (notice) => notice?.state !== 'received',
  );
  return id;
}

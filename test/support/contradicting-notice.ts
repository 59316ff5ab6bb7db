import type { AdminApp } from './admin-app.ts';
import { type NoticeOwner, recordNotice } from './record-notice.ts';

/** A notice that a charge failed which succeeded. @returns its id; it waits for a person */
export function contradictingNotice(
  app: AdminApp,
  owner: NoticeOwner,
  charge: string,
): Promise<string> {
  return recordNotice(app, owner, charge, {
    noticeId: `failed ${charge}`,
    kind: 'charge.failed',
    data: { code: 'card_declined', message: 'No.' },
  });
}

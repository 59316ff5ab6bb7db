import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import { workOn } from '../../payments/test-clocks/work-on.ts';
import { type AdvancePorts, endSubscription } from './advance-subscription.ts';

const PAGE = 100;

/**
 * Ends the subscriptions on a test clock that is deleted: time does not pass for them any more. Each is ended in
 * a transaction of its own, because its hook may be slow.
 * @throws ObjectWorkError for one that could not be ended, for example by the host's hook
 */
export async function endSubscriptionsOn(
  ports: Pick<AdvancePorts, 'storage' | 'clock'>,
  { accountId, environment, id: clock }: Owner & { readonly id: TestClockId },
): Promise<void> {
  const owner = { accountId, environment };
  let last: string | undefined;
  for (;;) {
    const page = { limit: PAGE, ...(last !== undefined && { startingAfter: last }) };
    const { data, hasMore } = await ports.storage.read.subscriptions.list(
      owner,
      { clock, status: 'all' },
      page,
    );
    for (const each of data) await workOn(each.id, () => endSubscription(ports, each));
    last = data.at(-1)?.id;
    if (!hasMore) return;
  }
}

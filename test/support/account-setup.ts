import type { AccountId } from '@paymount/core/kernel';
import type { AdminApp } from './admin-app.ts';
import { postForm } from './ask.ts';
import { billedObjects } from './billed-objects.ts';
import { connectPlatform } from './connect-platform.ts';
import { contradictingNotice } from './contradicting-notice.ts';
import { disputeOfCharge } from './disputed-charge.ts';
import { endedExpungeRequest } from './ended-expunge-request.ts';
import { openReplay } from './open-replay.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { contradictedOperation } from './reviewed-operations.ts';
import { erroredBankAccount, settlementDifference } from './settlement-objects.ts';
import { stuckClock } from './stuck-clock.ts';

/** One object of each kind, all of one account, in the test environment. */
export interface AccountSetup {
  readonly account: AccountId;
  /** Ids by the first segment of their paths. */
  readonly ids: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** What an account of a test has; the receiver answers 200 and counts. */
export interface AccountSetups {
  readonly receiver: Receiver;
  setup(account?: AccountId): Promise<AccountSetup>;
}

/** Makes accounts with a key, an endpoint, an event, its delivery, a leak and audit entries. */
export async function openAccountSetups(app: AdminApp): Promise<AccountSetups> {
  const receiver = await startReceiver();
  return {
    receiver,
    async setup(given) {
      const account = given ?? (await app.newAccount());
      const made = { account, livemode: false, type: 'secret' } as const;
      const create = (name: string) => app.paymount.keys.create({ ...made, name });
      const { secret, ...key } = await create('used');
      const leaked = await create('leaked');
      const endpoint = await app.paymount.webhookEndpoints.create(
        { account, environment: 'test' },
        { url: receiver.url, enabled_events: ['*'] },
      );
      const { platform } = await connectPlatform(app.paymount, account);
      const before = receiver.requests.length;
      const sale = 'amount=500&currency=eur&source=tok_visa';
      const charged = await postForm(`${app.url}/v1/charges`, sale, { key: secret });
      const charge = String(charged.json['id']);
      await receiver.waitFor(before + 1);
      await app.worker.drain();
      await app.admin('/leaks', {
        body: { credential: leaked.secret, source: 'test', url: 'https://gist.test/1' },
      });
      const first = async (list: string): Promise<string> => {
        const { json } = await app.admin(`/${list}?account=${account}&limit=1`);
        return (json['data'] as { id: string }[])[0]?.id ?? '';
      };
      const disputed = await postForm(
        `${app.url}/v1/charges`,
        'amount=100&currency=eur&source=tok_visa',
        { key: secret },
      );
      const owner = { account, environment: 'test' } as const;
      const dispute = await disputeOfCharge(app, owner, String(disputed.json['id']));
      await app.worker.drain();
      const billed = await billedObjects(async (path, form) =>
        String((await postForm(`${app.url}/v1${path}`, form, { key: secret })).json['id']),
      );
      const ids = {
        subscriptions: billed.subscription,
        invoices: billed.issued,
        accounts: account,
        keys: key.id,
        platforms: platform,
        grants: await first('grants'),
        endpoints: endpoint.id,
        deliveries: await first('deliveries'),
        events: await first('events'),
        leaks: await first('leaks'),
        audit: await first('audit'),
        operations: await contradictedOperation(app, { account, environment: 'test' }),
        notices: await contradictingNotice(app, { account, environment: 'test' }, charge),
        expunge_requests: await endedExpungeRequest(app, { account, environment: 'test' }),
        replays: await openReplay(app, { account, environment: 'test', url: receiver.url }),
        bank_accounts: await erroredBankAccount(app, { account, environment: 'test' }),
        settlement_differences: await settlementDifference(
          app,
          { account, environment: 'test' },
          charge,
        ),
        disputes: dispute,
        test_clocks: await stuckClock(app, 'test', { url: `${app.url}/v1`, key: secret }),
      };
      return { account, ids, secret };
    },
  };
}

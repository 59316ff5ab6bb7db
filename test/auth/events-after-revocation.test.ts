import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { postJson, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { countRows } from '../support/row-count.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

/** As for endpoints: the clock stands still, and the row is changed behind the process’s back. */
describe('an event, for a key that was revoked after the guard accepted it', () => {
  let app: TestApp;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;
  let event: string;

  before(async () => {
    app = await startApp({ paymount: { clock: fakeClock('2026-11-02T12:00:00.000Z') } });
    receiver = await startReceiver();
    setting = webhookSetting(app);
    hook = await setting.register(receiver.url, ['payout.paid']);
    event = await setting.publish();
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  for (const [what, path, body] of [
    ['replayed', () => `/events/${event}/replay`, () => ({ endpoint: hook.id })],
    ['triggered', () => '/test_helpers/events', () => ({ type: 'payout.paid' })],
    [
      'triggered for one endpoint',
      () => '/test_helpers/events',
      () => ({ type: 'charge.failed', endpoint: hook.id }),
    ],
  ] as const) {
    it(`is not ${what}`, async () => {
      const { secret, ...key } = await app.paymount.keys.create({
        account: app.account,
        livemode: false,
        type: 'restricted',
        scopes: ['webhooks:write', 'charges:read'],
        name: 'Events',
      });
      const send = (): Promise<Reply> =>
        postJson(`${app.url}/v1${path()}`, body(), { key: secret });
      expect((await send()).status).to.equal(200);
      const before = await countRows(app.databaseUrl);
      await query(
        app.databaseUrl,
        `UPDATE paymount.api_keys SET version = version + 1, status = 'revoked',
           revoked_at = now(), revoked_reason = 'leak' WHERE id = $1`,
        [key.id],
      );
      const { status, error } = await send();
      expect([status, error['code']]).to.deep.equal([401, 'api_key_revoked']);
      const { deliveries, events } = await countRows(app.databaseUrl);
      expect({ deliveries, events }).to.deep.equal({
        deliveries: before['deliveries'],
        events: before['events'],
      });
    });
  }
});

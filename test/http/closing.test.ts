import { expect } from 'chai';
import { onDatabase } from '../auth/audit-rows.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm } from './ask.ts';

/** A signal that can be awaited. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe('closing', () => {
  let app: TestApp;
  const called = signal();
  before(async () => {
    app = await startApp({
      paymount: {
        sandbox: { latencyMs: 300 },
        crashPoint: (name) => {
          if (name === 'operation.before_call') called.give();
        },
      },
    });
  });
  after(() => app.close());

  it('lets requests that came before end, counts the use of their keys, and takes no more', async () => {
    const charge = postForm(
      `${app.url}/v1/charges`,
      'amount=4200&currency=eur&payment_method=pm_card_visa',
      {
        key: app.secretKey,
      },
    );
    await called.given;
    const closed = app.paymount.close();
    const late = await ask(`${app.url}/v1/charges`, { key: app.secretKey });
    expect([late.status, late.error['code']]).to.deep.equal([503, 'unavailable']);
    const { status, json } = await charge;
    expect([status, json['status']]).to.deep.equal([200, 'succeeded']);
    await closed;
    const used = await onDatabase(
      app.databaseUrl,
      async (client) =>
        (await client.query('SELECT succeeded, failed FROM paymount.key_usage_hourly')).rows,
    );
    expect(used).to.deep.equal([{ succeeded: '1', failed: '0' }]);
  });
});

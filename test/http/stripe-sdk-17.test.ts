import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { driveStripe17 } from '../support/drive-stripe-17.mjs';
import { DRIVABLE, DrivenRoutes } from '../support/driven-routes.ts';

const BILLING =
  /\/v1\/(products|prices|invoiceitems|invoices|subscriptions|subscription_items|customers\/:id\/balance_transactions)\b/;

describe('version 17 of the official stripe SDK', () => {
  const routes = new DrivenRoutes();
  let app: TestApp;

  before(async () => {
    app = await startApp({
      mount: (host, paymount) => host.use(paymount.router({ environment: 'test' })),
    });
  });
  after(() => app.close());

  it('drives every route of billing with success', async () => {
    const settings = { host: '127.0.0.1', port: app.port, protocol: 'http' } as const;
    await driveStripe17(app.secretKey, settings, {
      follow: (stripe) => routes.follow(stripe),
      drain: () => app.worker.drain(),
    });
    expect(routes.driven.filter((name) => BILLING.test(name))).to.deep.equal(
      DRIVABLE.filter((name) => BILLING.test(name)),
    );
  });
});

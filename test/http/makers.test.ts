import { expect } from 'chai';
import { postForm } from '../support/ask.ts';
import { makeKey } from '../support/credentials.ts';
import { query } from '../support/database.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { uploadFile } from '../support/upload-file.ts';

describe('What a key or a platform makes', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  async function make(key: string, path: string, form: string): Promise<string> {
    const reply = await postForm(`${setup.url}/v1${path}`, form, { key });
    expect(reply.status, reply.text).to.equal(200);
    return String(reply.json['id']);
  }
  async function makerOf(table: string, id: string): Promise<unknown> {
    const [row] = await query<{ created_by: unknown }>(
      setup.databaseUrl,
      `SELECT created_by FROM paymount.${table} WHERE id = $1`,
      [id],
    );
    return row?.created_by;
  }

  it('keeps the platform and its grant, also after the approval ended', async () => {
    const { access_token: token } = await setup.connect();
    const [grant] = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.grants ORDER BY id DESC LIMIT 1',
    );
    const maker = { type: 'platform', id: setup.platform.id, grant: grant?.id };
    const charge = await make(
      String(token),
      '/charges',
      'amount=700&currency=eur&source=tok_visa&capture=false',
    );
    await make(setup.secretKey, `/charges/${charge}/capture`, '');
    const refund = await make(String(token), '/refunds', `charge=${charge}&amount=100`);
    await setup.paymount.platforms.disable(setup.platform.id);
    expect(await makerOf('charges', charge)).to.deep.equal(maker);
    expect(await makerOf('refunds', refund)).to.deep.equal(maker);
  });

  it('keeps who made what bills a customer later', async () => {
    const scopes = ['subscriptions:write', 'customers:write'] as const;
    const platform = await setup.newPlatform({ scopes: [...scopes] });
    const { access_token: token } = await setup.connect({ platform, scopes });
    const [grant] = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.grants ORDER BY id DESC LIMIT 1',
    );
    const maker = { type: 'platform', id: platform.id, grant: grant?.id };
    const customer = await make(setup.secretKey, '/customers', 'name=Ada');
    const card = await make(
      setup.secretKey,
      '/payment_methods/pm_card_visa/attach',
      `customer=${customer}`,
    );
    const recurring = 'currency=eur&unit_amount=1000&recurring[interval]=month';
    const price = await make(setup.secretKey, '/prices', `${recurring}&product_data[name]=Basic`);
    const sold = `customer=${customer}&items[0][price]=${price}&default_payment_method=${card}`;
    const subscription = await make(String(token), '/subscriptions', sold);
    const [first] = await query<{ created_by: unknown }>(
      setup.databaseUrl,
      'SELECT created_by FROM paymount.invoices WHERE subscription_id = $1',
      [subscription],
    );
    const item = await make(
      String(token),
      '/invoiceitems',
      `customer=${customer}&amount=5&currency=eur`,
    );
    const invoice = await make(String(token), '/invoices', `customer=${customer}&currency=eur`);
    const credit = await make(
      String(token),
      `/customers/${customer}/balance_transactions`,
      'amount=-5&currency=eur',
    );
    expect(await makerOf('subscriptions', subscription)).to.deep.equal(maker);
    expect(first?.created_by).to.deep.equal(maker);
    expect(await makerOf('invoice_items', item)).to.deep.equal(maker);
    expect(await makerOf('invoices', invoice)).to.deep.equal(maker);
    expect(await makerOf('customer_balance_transactions', credit)).to.deep.equal(maker);
  });

  it('keeps the key, or the host', async () => {
    const key = await makeKey(setup.paymount, setup.account);
    const maker = { type: 'key', id: key.id };
    const funds = 'amount=5000&currency=eur&source=tok_bypassPending';
    const charge = await make(key.secret, '/charges', funds);
    await setup.worker.drain();
    const accounts = `/accounts/${setup.account}/external_accounts`;
    const bankAccount = await make(key.secret, accounts, 'external_account=btok_us');
    const payout = await make(key.secret, '/payouts', 'amount=100&currency=eur');
    const clock = await make(key.secret, '/test_helpers/test_clocks', 'frozen_time=1893456000');
    const file = await uploadFile(`${setup.url}/v1/files`, key.secret);
    const hook = 'url=https%3A%2F%2F127.0.0.1%3A8443%2F&enabled_events[]=payout.paid';
    const endpoint = await make(key.secret, '/webhook_endpoints', hook);
    const replay = await make(key.secret, '/replays', `to=${endpoint}&types[]=dispute.won`);
    for (const [table, id] of [
      ['charges', charge],
      ['bank_accounts', bankAccount],
      ['payouts', payout],
      ['test_clocks', clock],
      ['files', file],
      ['replays', replay],
    ] as const) {
      expect(await makerOf(table, id), table).to.deep.equal(maker);
    }
    const { id } = await setup.paymount.charges.create(setup.acting, {
      amount: 100,
      currency: 'eur',
      source: 'tok_visa',
    });
    expect(await makerOf('charges', id)).to.deep.equal({ type: 'host', id: 'host' });
  });
});

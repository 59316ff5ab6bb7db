import type { Scope } from '@paymount/core/kernel';
import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { makeKey } from '../support/credentials.ts';
import { type DisputeSetup, startDisputeSetup } from '../support/dispute-setup.ts';

/** `expand[]=source` reaches resources of several scopes, and shows no more than their routes do. */
describe('the expanded source of a balance transaction', () => {
  let setup: DisputeSetup;
  let charge: string;
  let dispute: string;
  let refund: string;

  before(async () => {
    setup = await startDisputeSetup();
    ({ charge, dispute } = await setup.chargeback());
    const evidence = { customer_name: 'Only for the bank' };
    await setup.post(`/v1/disputes/${dispute}`, { evidence, submit: false }).expect(200);
    const { id: other } = await setup.sale();
    refund = (await setup.post('/v1/refunds', { charge: other, amount: 1 }).expect(200)).body.id;
  });
  after(() => setup.close());

  /** What a key with these scopes sees of each source: its object, or its id. */
  async function sourcesFor(...scopes: Scope[]) {
    const { secret } = await makeKey(setup.paymount, setup.account, { type: 'restricted', scopes });
    const url = `${setup.url}/v1/balance_transactions?limit=100&expand[]=data.source`;
    const { status, json, text, error } = await ask(url, { key: secret });
    const rows = (status === 200 ? json['data'] : []) as { source: string | { id: string } }[];
    const seen = (id: string) => {
      const sources = rows.map(({ source }) => source);
      if (sources.includes(id)) return 'id';
      return sources.some((source) => typeof source === 'object' && source.id === id)
        ? 'object'
        : 'missing';
    };
    const shown = [charge, refund, dispute].map(seen);
    return { status, shown, text, missing: error?.['required_scope'] };
  }

  it('is shown to a key that may read all kinds of sources', async () => {
    const { shown, text } = await sourcesFor('payouts:read', 'charges:read', 'disputes:write');
    expect(shown).to.deep.equal(['object', 'object', 'object']);
    expect(text).to.include('Only for the bank');
  });

  it('stays an id if it is a dispute, and the key lacks disputes:write', async () => {
    const { shown, text } = await sourcesFor('payouts:read', 'charges:read');
    expect(shown).to.deep.equal(['object', 'object', 'id']);
    expect(text).to.not.include('Only for the bank');
  });

  it('stays an id if it is a charge or a refund, and the key lacks charges:read', async () => {
    const { shown } = await sourcesFor('payouts:read', 'disputes:write');
    expect(shown).to.deep.equal(['id', 'id', 'object']);
  });
});

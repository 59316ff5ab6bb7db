import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';

/** Sixteen digits that pass for the number of a card. */
const LOOK_ALIKE = '4242'.repeat(4);

describe('Digits that look like the number of a card', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('do not keep a leak from being reported', async () => {
    const { secret, ...key } = await app.paymount.keys.create({
      account: app.account,
      livemode: false,
      type: 'secret',
      name: 'leaky',
    });
    const url = `https://forum.test/p/${LOOK_ALIKE}`;
    const reported = await app.admin('/leaks', { body: { credential: secret, source: 'a', url } });
    expect(reported.json, reported.text).to.include({ action: 'revoked' });
    expect((await app.admin(`/keys/${key.id}`)).json['status']).to.equal('revoked');
    const junk = await app.admin('/leaks', { body: { credential: LOOK_ALIKE, source: 'a' } });
    expect(junk.json, junk.text).to.include({ matched: false });
  });

  it('are taken in the hash of a head, of up to a hundred at once', async () => {
    const { json } = await app.admin('/audit/verify', { body: { account: app.account } });
    const hash = `a${LOOK_ALIKE}`.padEnd(64, 'b');
    const seq = (json['heads'] as { seq: number }[])[0]?.seq;
    const heads = Array.from({ length: 100 }, () => ({ account: app.account, seq, hash }));
    const verdict = await app.admin('/audit/verify', { body: { heads } });
    expect(verdict.json['faults'], verdict.text).to.deep.equal([
      { account: app.account, seq, found: 'changed' },
    ]);
    const many = { heads: [...heads, ...heads.slice(0, 1)] };
    const refused = await app.admin('/audit/verify', { body: many });
    expect([refused.status, refused.error['param']]).to.deep.equal([400, 'heads']);
  });

  it('are refused in every other field, of test objects too', async () => {
    const refused = [
      await app.admin('/accounts', {
        body: { name: LOOK_ALIKE, country: 'DE', default_currency: 'eur' },
      }),
      await app.admin('/leaks', { body: { credential: 'a', source: LOOK_ALIKE } }),
      await app.admin('/keys', {
        body: { account: app.account, livemode: false, type: 'secret', name: LOOK_ALIKE },
      }),
    ];
    for (const { status, error } of refused) {
      expect([status, error['code']]).to.deep.equal([400, 'raw_card_data_not_allowed']);
      expect(error['message']).to.match(
        /^Card numbers are not accepted here\. Send a token from the processor instead, /,
      );
    }
  });
});

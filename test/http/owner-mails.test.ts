import { expect } from 'chai';
import { NotSentError } from 'paymount/processor';
import {
  type DisputeSetup,
  newReference,
  OPENED,
  startDisputeSetup,
} from '../support/dispute-setup.ts';
import { DASHBOARD } from '../support/operator-setup.ts';
import { PaidOut } from '../support/paid-out.ts';

const OWNER = 'owner@shop.test';
const DAY_MS = 86_400_000;

describe('E-mails to the owner of an account', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
    await setup.paymount.accounts.update(setup.account, { email: OWNER });
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.bank.found = undefined;
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const owned = () => setup.mails.filter(({ to }) => to === OWNER);
  const subjects = () => owned().map(({ subject }) => subject);
  const refund = async (source: string) => {
    const { id: charge } = await setup.sale(source);
    const { body } = await setup.post('/v1/refunds', { charge, amount: 4_000 }).expect(200);
    return { charge, id: String(body.id) };
  };

  it('say until when a chargeback can be answered, once', async () => {
    const dueBy = '2031-03-09T14:05:59.000Z';
    const end = '9 March 2031, 14:05 UTC';
    const { charge, dispute, reference } = await setup.chargeback({ dueBy });
    await setup.report('dispute.opened', reference, { ...OPENED, dueBy });
    expect(subjects()).to.deep.equal(['A test charge was disputed: 100.00 EUR']);
    const [{ text = '' } = {}] = owned();
    for (const fact of [dispute, charge, setup.account, 'Reason: fraudulent', `End: ${end}`]) {
      expect(text).to.include(fact);
    }
  });

  it('write money as people read it, name the account, say what to do, and link to the page', async () => {
    const { charge } = await setup.chargeback();
    const [mail] = owned();
    const link = `${DASHBOARD}/${setup.account}/test/charges/${charge}`;
    expect(mail?.text.split('\n')).to.include.members([
      '- Amount: 100.00 EUR',
      'Account name: Test shop',
      `Open it in the dashboard: ${link}`,
    ]);
    expect(mail?.text).to.include('Submit evidence before the end').and.not.include('10000');
    expect(mail?.html).to.match(/<p>Account name: Test shop<\/p>/);
    expect(mail?.html)
      .to.include(link)
      .and.match(/<\/p>\n<\/body>\n<\/html>\n$/);
  });

  it('name the account as it is called now, and escape the name', async () => {
    await setup.paymount.accounts.update(setup.account, { name: 'Tea & <b>Cake</b>' });
    await setup.chargeback();
    expect(owned()[0]?.text).to.include('Account name: Tea & <b>Cake</b>');
    expect(owned()[0]?.html).to.include('Account name: Tea &amp; &lt;b&gt;Cake&lt;/b&gt;');
    await setup.paymount.accounts.update(setup.account, { name: 'Test shop' });
  });

  it('are sent about an alert, and again about the chargeback that follows', async () => {
    const { reference } = await setup.sale();
    await setup.report('dispute.alert', reference, OPENED);
    await setup.report('dispute.opened', reference, OPENED);
    expect(subjects()).to.deep.equal([
      'A test charge is about to be disputed: 100.00 EUR',
      'A test charge was disputed: 100.00 EUR',
    ]);
  });

  it('say that a refund has prevented a chargeback, whichever of refund and alert comes first', async () => {
    const prevented = 'A test chargeback was prevented by a refund: 100.00 EUR';
    const first = await setup.sale();
    await setup.report('dispute.alert', first.reference, OPENED);
    await setup.post('/v1/refunds', { charge: first.id }).expect(200);
    await setup.worker.drain();
    expect(subjects()).to.deep.equal([
      'A test charge is about to be disputed: 100.00 EUR',
      prevented,
    ]);
    const { id } = await setup.disputeOf(first.id);
    expect(owned()[1]?.text).to.include(String(id)).and.include(first.id).and.not.include('End:');
    setup.forget();
    const second = await setup.sale();
    await setup.post('/v1/refunds', { charge: second.id }).expect(200);
    await setup.report('dispute.alert', second.reference, OPENED);
    expect(subjects()).to.deep.equal([prevented]);
  });

  it('ask to answer a chargeback that came before an alert which a refund has answered', async () => {
    const { id, reference } = await setup.sale();
    await setup.post('/v1/refunds', { charge: id }).expect(200);
    await setup.report('dispute.opened', reference, OPENED);
    setup.forget();
    await setup.report('dispute.alert', reference, { ...OPENED, disputeReference: newReference() });
    expect(subjects()).to.deep.equal([
      'A test alert was answered by a refund, after a chargeback: 100.00 EUR',
    ]);
    expect(owned()[0]?.text)
      .to.include('answer it, with the refund as evidence')
      .and.not.include('need not do anything');
  });

  it('ask for nothing if nobody can contest the chargeback', async () => {
    await setup.chargeback({ contestable: false });
    expect(subjects()).to.deep.equal(['A test charge was disputed and is lost: 100.00 EUR']);
    expect(owned()[0]?.text).to.include('Nobody can contest this dispute.').and.not.include('End:');
  });

  it('are not sent about a ruling, which an event reports', async () => {
    const { reference } = await setup.chargeback();
    setup.forget();
    await setup.report('dispute.closed', reference, { outcome: 'won' });
    expect(owned()).to.deep.equal([]);
  });

  it('say that a refund failed, at once or later, so that the customer is paid in another way', async () => {
    const rejected = await refund('tok_refundRejected');
    await setup.pass(61_000);
    expect(subjects()).to.deep.equal(['A test refund failed: 40.00 EUR']);
    expect(owned()[0]?.text).to.include(rejected.id).and.include(rejected.charge);
    setup.forget();
    const { id } = await refund('tok_visa');
    const operationId = setup.bank.calls.at(-1)?.operationId;
    const data = { code: 'account_closed', message: 'The account is closed.' };
    await setup.deliver({ kind: 'refund.failed', operationId, data });
    expect(subjects()).to.deep.equal(['A test refund failed: 40.00 EUR']);
    expect(owned()[0]?.text).to.include(id);
  });

  it('are not sent about a refund of an authorization, which moved no money, or that was not sent', async () => {
    const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa', capture: false };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    const refused = { outcome: 'rejected', code: 'processing_error', message: 'No.' } as const;
    const { cancel, refund: refundAtBank } = setup.bank;
    setup.bank.cancel = async () => refused;
    const voided = await setup.post('/v1/refunds', { charge: body.id }).expect(200);
    expect(voided.body.status).to.equal('failed');
    setup.bank.cancel = cancel;
    setup.bank.refund = () => Promise.reject(new NotSentError('refused'));
    const { id: charge } = await setup.sale();
    await setup.post('/v1/refunds', { charge }).expect(200);
    setup.bank.refund = refundAtBank;
    await setup.worker.drain();
    expect(owned()).to.deep.equal([]);
  });

  it('are sent now about what happens on a test clock that shows next year', async () => {
    const shop = new PaidOut(setup, setup.clock);
    await shop.earn(20_000);
    await shop.addBank('000111111113');
    const nextYear = new Date(setup.clock.now().getTime() + 365 * DAY_MS);
    const clocks = '/v1/test_helpers/test_clocks';
    const made = await setup.post(clocks, { frozen_time: nextYear.toISOString() }).expect(200);
    const test_clock = made.body.id;
    const payout = { amount: 1_000, currency: 'eur', test_clock };
    await setup.post('/v1/payouts', payout).expect(200);
    const frozen_time = new Date(nextYear.getTime() + DAY_MS).toISOString();
    await setup.post(`${clocks}/${test_clock}/advance`, { frozen_time }).expect(200);
    await setup.worker.drain();
    const operationId = setup.bank.calls.at(-1)?.operationId;
    const data = { code: 'account_closed', message: 'The account is closed.' };
    await setup.deliver({ kind: 'payout.failed', operationId, data });
    expect(subjects()).to.deep.equal(['A test payout failed: 10.00 EUR']);
  });

  it('are not written for an account without an address', async () => {
    await setup.paymount.accounts.update(setup.account, { email: null });
    await setup.chargeback();
    expect(setup.mails).to.deep.equal([]);
    expect(await setup.events()).to.include('dispute.created');
  });
});

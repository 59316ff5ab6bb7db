import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';

describe('disputes of the sandbox', () => {
  let app: TestApp;
  const clock: FakeClock = fakeClock();
  before(async () => {
    app = await startApp({ paymount: { clock } });
  });
  after(() => app.close());

  const get = async (path: string) => (await ask(app.url + path, { key: app.secretKey })).json;
  const post = async (path: string, body: object) => {
    const { status, json, text } = await postJson(app.url + path, body, { key: app.secretKey });
    expect(status, text).to.equal(200);
    return json;
  };
  /** Lets the issuer take its next step. */
  const step = async (): Promise<void> => {
    clock.advance(2_000);
    await app.worker.drain();
  };
  const sale = async (source: string, more: object = {}): Promise<string> => {
    const body = { amount: 4_200, currency: 'eur', source, ...more };
    return String((await post('/v1/charges', body))['id']);
  };
  const disputesOf = async (charge: string) => {
    const { data } = await get(`/v1/disputes?charge=${charge}`);
    return data as { id: string; status: string; reason: string; amount: number }[];
  };
  const statusOf = async (charge: string) => (await disputesOf(charge)).map(({ status }) => status);

  for (const [token, reason] of [
    ['tok_createDispute', 'fraudulent'],
    ['tok_createDisputeProductNotReceived', 'product_not_received'],
  ] as const) {
    it(`opens a chargeback two seconds after a charge with ${token}`, async () => {
      const charge = await sale(token);
      await app.worker.drain();
      expect(await disputesOf(charge)).to.deep.equal([]);
      await step();
      const [dispute] = await disputesOf(charge);
      expect(dispute).to.include({ status: 'needs_response', reason, amount: 4_200 });
    });
  }

  it('sends an alert alone, or an alert and then its chargeback', async () => {
    const inquiry = await sale('tok_createDisputeInquiry');
    const both = await sale('tok_alert_then_chargeback');
    await step();
    expect([await statusOf(inquiry), await statusOf(both)]).to.deep.equal([
      ['warning_needs_response'],
      ['warning_needs_response'],
    ]);
    await step();
    expect([await statusOf(inquiry), await statusOf(both)]).to.deep.equal([
      ['warning_needs_response'],
      ['needs_response'],
    ]);
  });

  it('disputes what was captured later, once it is captured', async () => {
    const charge = await sale('tok_createDispute', { capture: false });
    await step();
    expect(await disputesOf(charge)).to.deep.equal([]);
    await post(`/v1/charges/${charge}/capture`, { amount: 3_000 });
    await step();
    expect((await disputesOf(charge))[0]).to.include({ status: 'needs_response', amount: 3_000 });
  });

  it('rules by the evidence, and not at all if it says nothing', async () => {
    const ruled: string[] = [];
    for (const text of ['winning_evidence', 'losing_evidence', 'Something else.']) {
      const charge = await sale('tok_createDispute');
      await step();
      const [dispute] = await disputesOf(charge);
      const sent = await post(`/v1/disputes/${String(dispute?.id)}`, {
        evidence: { uncategorized_text: text },
      });
      expect(sent['status']).to.equal('under_review');
      await step();
      ruled.push(...(await statusOf(charge)));
    }
    expect(ruled).to.deep.equal(['won', 'lost', 'under_review']);
  });

  it('closes an inquiry for winning evidence, and opens its chargeback for losing evidence', async () => {
    const ended: string[] = [];
    for (const text of ['winning_evidence', 'losing_evidence']) {
      const charge = await sale('tok_createDisputeInquiry');
      await step();
      const [alert] = await disputesOf(charge);
      const evidence = { uncategorized_text: text };
      await post(`/v1/disputes/${String(alert?.id)}`, { evidence });
      await step();
      ended.push(...(await statusOf(charge)));
    }
    expect(ended).to.deep.equal(['warning_closed', 'needs_response']);
  });

  it('makes a chargeback of an inquiry with escalate_inquiry_evidence', async () => {
    const charge = await sale('tok_createDisputeInquiry');
    await step();
    const [alert] = await disputesOf(charge);
    const evidence = { uncategorized_text: 'escalate_inquiry_evidence' };
    await post(`/v1/disputes/${String(alert?.id)}`, { evidence });
    await step();
    const [dispute] = await disputesOf(charge);
    expect([dispute?.id, dispute?.status]).to.deep.equal([alert?.id, 'needs_response']);
    expect(await app.paymount.verify()).to.deep.equal([]);
  });
});

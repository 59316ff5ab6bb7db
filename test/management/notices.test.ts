import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { OPERATOR } from '../support/operator-setup.ts';
import { paymount, toJson } from '../support/run-command.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The waits of the resolver. */
const WAITS = [10 * SECOND, MINUTE, 5 * MINUTE, HOUR, 6 * HOUR, DAY, DAY, DAY, DAY, DAY];
const REASON = 'The bank took it back.';
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

type Json = Readonly<Record<string, unknown>>;

describe('Notices that a person must look at', () => {
  let setup: NoticeSetup;

  before(async () => {
    setup = await startNoticeSetup();
  });
  after(() => setup.close());
  afterEach(() => setup.forget());

  const list = async (query = ''): Promise<readonly Json[]> =>
    (await setup.admin(`/notices${query}`)).json['data'] as Json[];

  /** A notice with a reference that nobody ever has. @returns its id */
  const unknown = async (): Promise<string> => {
    const data = { amount: 700, currency: 'eur', fee: 20 };
    await setup.deliver({ kind: 'charge.settled', processorReference: 'nobody', data });
    const [newest] = await list('?state=waiting');
    return String(newest?.['id']);
  };

  /** A notice that a charge failed which succeeded. @returns its id, and that of the charge */
  const contradicting = async (): Promise<{ id: string; charge: string }> => {
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    const data = { code: 'card_declined', message: 'No.' };
    const { reference } = body.processor;
    await setup.deliver({ kind: 'charge.failed', processorReference: reference, data });
    return { id: String((await list())[0]?.['id']), charge: body.id };
  };

  it('can be dismissed and not applied, if they cannot be read', async () => {
    const data = { amount: '700', currency: 'eur' };
    await setup.deliver({ kind: 'charge.settled', processorReference: 'nobody', data });
    const [shown] = await list('?kind=unreadable');
    const path = `/notices/${shown?.['id']}`;
    expect(shown).to.deep.include({
      kind: 'unreadable',
      state: 'quarantined',
      processor_reference: 'nobody',
      reason:
        'It cannot be read: data.amount must be an integer from 1 to 999999999999; it is a text ' +
        'of 3 characters. It says that its kind is charge.settled.',
    });
    expect(shown?.['notice_id']).to.match(/^bank_\d+$/);
    const refused = await setup.admin(`${path}/retry`, { body: {} });
    expect(refused.status).to.equal(409);
    expect(refused.json).to.have.nested.property('error.code', 'notice_unreadable');
    const { json } = await setup.admin(`${path}/dismiss`, { body: { reason: REASON } });
    expect(json).to.include({ state: 'ignored', reason: REASON });
    const again = await setup.admin(`${path}/retry`, { body: {} });
    expect(again.json).to.have.nested.property('error.code', 'notice_unreadable');
  });

  it('are told by e-mail and shown, when no operation ever has their reference', async () => {
    const id = await unknown();
    for (const [index, wait] of WAITS.entries()) {
      const { json } = await setup.admin(`/notices/${id}`);
      expect(json).to.include({ state: 'waiting', tries: index + 1 });
      expect(setup.mails).to.deep.equal([]);
      await setup.pass(wait + SECOND);
    }
    const { json } = await setup.admin(`/notices/${id}`);
    expect(json).to.deep.include({
      id,
      object: 'notice',
      account: null,
      livemode: false,
      processor: 'watched',
      kind: 'charge.settled',
      state: 'quarantined',
      operation: null,
      next_try_at: null,
      reason: 'No operation has the reference that the processor reported.',
      processor_reference: 'nobody',
    });
    expect(json['facts']).to.include({ amount: 700, currency: 'eur', fee: 20, code: null });
    expect(setup.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [OPERATOR, 'A test notice of watched waits for you: charge.settled'],
    ]);
    expect(setup.mails[0]?.text).to.include(`paymount notices show ${id}`);
    expect(setup.errors.map(({ facts, sentence }) => [facts['notice'], sentence])).to.deep.include([
      id,
      'A notice of a processor waits for a person.',
    ]);
  });

  it('are counted in the health and the metrics', async () => {
    const count = async (): Promise<unknown> => {
      const { json } = await setup.admin('/health');
      return (json['notices'] as { test: Json }).test['under_review'];
    };
    const before = Number(await count());
    await contradicting();
    expect(await count()).to.equal(before + 1);
    const { text } = await setup.admin('/metrics');
    expect(text).to.include(`paymount_notices_under_review{environment="test"} ${before + 1}`);
  });

  it('are listed by state, kind and account, and hidden from admins of other accounts', async () => {
    const { id, charge } = await contradicting();
    expect(charge).to.match(/^ch_/);
    expect((await list(`?account=${setup.account}`)).map((each) => each['id'])).to.include(id);
    expect((await list('?kind=charge.failed&processor=watched'))[0]).to.include({ id });
    expect(await list('?kind=payout.paid')).to.deep.equal([]);
    expect((await list('?state=any&limit=100')).length).to.be.greaterThan(1);
    const accounts = [await setup.newAccount()];
    const token = await setup.token(['admin'], { accounts });
    expect((await setup.admin(`/notices/${id}`, { token })).status).to.equal(404);
    const other = await unknown();
    expect((await setup.admin(`/notices/${other}`, { token })).status).to.equal(404);
    const { json } = await setup.admin('/notices?state=any', { token });
    expect(json['data']).to.deep.equal([]);
  });

  it('are dismissed with a reason, once', async () => {
    const { id } = await contradicting();
    const missing = await setup.admin(`/notices/${id}/dismiss`, { body: {} });
    expect([missing.status, missing.error['param']]).to.deep.equal([400, 'reason']);
    const { json } = await setup.admin(`/notices/${id}/dismiss`, { body: { reason: REASON } });
    expect(json).to.include({ id, state: 'ignored', reason: REASON });
    const again = await setup.admin(`/notices/${id}/dismiss`, { body: { reason: REASON } });
    expect([again.status, again.error['code']]).to.deep.equal([409, 'notice_not_open']);
    const { json: audit } = await setup.admin(`/audit?target=${id}`);
    expect((audit['data'] as Json[])[0]).to.deep.include({
      action: 'notice.dismiss',
      account: setup.account,
      before: { state: 'quarantined' },
      after: { state: 'ignored', reason: REASON },
    });
  });

  it('that were dismissed by mistake are applied when a person tries them again', async () => {
    const data = { amount: 10_000, currency: 'eur' };
    await setup.deliver({ kind: 'charge.settled', processorReference: 'sandbox_early', data });
    const [{ id }] = (await list('?state=waiting')) as [{ id: string }];
    const dismissed = await setup.admin(`/notices/${id}/dismiss`, { body: { reason: REASON } });
    expect(dismissed.json['state']).to.equal('ignored');
    const sale = { ...SALE, source: 'tok_timeout_approved' };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    const expectedBy = new Date(setup.clock.now().getTime() + DAY).toISOString();
    setup.bank.found = { outcome: 'pending', processorReference: 'sandbox_early', expectedBy };
    await setup.pass(41 * SECOND);
    setup.bank.found = undefined;
    const retried = await setup.admin(`/notices/${id}/retry`, { body: {} });
    expect([retried.status, retried.json['state']]).to.deep.equal([200, 'applied']);
    expect((await setup.get(`/v1/charges/${body.id}`)).body.status).to.equal('succeeded');
    const again = await setup.admin(`/notices/${id}/retry`, { body: {} });
    expect([again.status, again.error['code']]).to.deep.equal([409, 'notice_not_open']);
    const { json: audit } = await setup.admin(`/audit?target=${id}`);
    expect((audit['data'] as Json[])[0]).to.deep.include({
      action: 'notice.retry',
      before: { state: 'ignored' },
      after: { state: 'applied' },
    });
  });

  it('are applied at once when a person tries them again after the cause is gone', async () => {
    const data = { amount: 10_000, currency: 'eur' };
    await setup.deliver({ kind: 'charge.settled', processorReference: 'sandbox_later', data });
    const [waiting] = await list('?state=waiting');
    await setup.pass(11 * SECOND);
    await setup.pass(61 * SECOND);
    const sale = { ...SALE, source: 'tok_timeout_approved' };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    const expectedBy = new Date(setup.clock.now().getTime() + DAY).toISOString();
    setup.bank.found = { outcome: 'pending', processorReference: 'sandbox_later', expectedBy };
    await setup.pass(41 * SECOND);
    setup.bank.found = undefined;
    const { json } = await setup.admin(`/notices/${waiting?.['id']}/retry`, { body: {} });
    expect(json).to.include({ state: 'applied', account: setup.account, reason: null });
    expect((await setup.get(`/v1/charges/${body.id}`)).body.status).to.equal('succeeded');
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('without an account are dismissed too, in the global chain of the audit log', async () => {
    const id = await unknown();
    const { json } = await setup.admin(`/notices/${id}/dismiss`, { body: { reason: REASON } });
    expect(json).to.include({ id, state: 'ignored', account: null });
    const { json: audit } = await setup.admin(`/audit?target=${id}`);
    expect((audit['data'] as Json[])[0]).to.include({ action: 'notice.dismiss', account: null });
  });

  it('are listed and shown on the command line', async () => {
    const { id } = await contradicting();
    const run = (...args: string[]) => paymount({ DATABASE_URL: setup.databaseUrl }, ...args);
    const listed = await run('notices', 'list');
    expect(listed.out.join('\n')).to.match(new RegExp(`${id} +quarantined +charge\\.failed`));
    const shown = await run('notices', 'show', id);
    expect(shown.out.join('\n')).to.match(/reason +Operation op_\w+ \(authorize\) was approved\./);
    expect(toJson(await run('--json', 'notices', 'show', id))).to.include({ id, object: 'notice' });
    const wrong = await run('notices', 'show', 'op_1');
    expect(wrong.err.join()).to.include('Name the notice by its id (ntc_...)');
    expect((await run('notices', 'dismiss', id, '--reason', REASON)).err.join()).to.include(
      '--config',
    );
  });

  it('are retried and dismissed on the command line with the options of the host', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paymount-notices-'));
    const config = join(folder, 'options.mjs');
    const options = { database: setup.databaseUrl, sealingKeys: setup.sealingKeys };
    await writeFile(config, `export const options = ${JSON.stringify(options)};`);
    try {
      const { id } = await contradicting();
      const run = (...args: string[]) => paymount({}, '--config', config, ...args);
      const retried = await run('notices', 'retry', id);
      expect(retried.out[0]).to.match(new RegExp(`^${id} \\(charge\\.failed\\) is quarantined: `));
      const dismissed = await run('notices', 'dismiss', id, '--reason', REASON);
      expect(dismissed.out).to.deep.equal([`${id} (charge.failed) is ignored: ${REASON}`]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

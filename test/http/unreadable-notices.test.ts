import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type NoticeSetup, notice, startNoticeSetup } from '../support/notifying-bank.ts';

const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const RETURNED = {
  kind: 'refund.failed',
  data: { code: 'expired_card', message: 'The card was closed.' },
};
const READ_LATER = 'It was sent again, and could be read.';

/** Its members cannot be read; only a promise of it can be awaited. */
function hostile(): object {
  const refuse = (_: object, name: string | symbol): undefined => {
    if (name !== 'then') throw new Error('No.');
    return undefined;
  };
  return new Proxy({}, { get: refuse });
}

interface Row {
  readonly id: string;
  readonly notice_id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly account_id: string | null;
}

describe('A notice that cannot be read', () => {
  let setup: NoticeSetup;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unreadable-'));
    setup = await startNoticeSetup();
  });
  after(async () => {
    await setup.close();
    await rm(folder, { recursive: true });
  });
  afterEach(async () => {
    setup.bank.reading = undefined;
    setup.forget();
    await query(setup.databaseUrl, `DELETE FROM paymount.notices WHERE kind = 'unreadable'`);
    // Only one in an hour is sent.
    await query(setup.databaseUrl, 'DELETE FROM paymount.mails');
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const unreadable = () =>
    query<Row>(
      setup.databaseUrl,
      `SELECT * FROM paymount.notices WHERE kind = 'unreadable' ORDER BY id`,
    );
  const refunded = async (): Promise<{ id: string; operationId: string; reference: string }> => {
    const { body: charge } = await setup.post('/v1/charges', SALE).expect(200);
    const { body } = await setup.post('/v1/refunds', { charge: charge.id }).expect(200);
    const call = setup.bank.calls.find(({ reference }) => reference === body.id);
    return {
      id: body.id,
      operationId: call?.operationId ?? '',
      reference: charge.processor.reference,
    };
  };
  const status = async (refund: string): Promise<string> =>
    (await setup.get(`/v1/refunds/${refund}`).expect(200)).body.status;

  for (const [what, broken, member] of [
    [
      'an unknown kind',
      { kind: 'charge.moved', data: { amount: 1, currency: 'eur' } },
      /^kind must be one of charge\.settled, .*; it is a text of 12 characters\. It says that its kind is charge\.moved\.$/,
    ],
    [
      'an amount as text',
      { kind: 'charge.settled', data: { amount: '1234', currency: 'eur' } },
      /^data\.amount must be an integer from 1 to 999999999999; it is a text of 4 characters\. It says that its kind is charge\.settled\.$/,
    ],
  ] as const) {
    it(`with ${what} keeps no return out that is beside it`, async () => {
      const { id, operationId, reference } = await refunded();
      const sent = [
        notice({ ...broken, noticeId: `bad ${what}`, processorReference: reference }),
        notice({ ...RETURNED, noticeId: `good ${what}`, operationId }),
      ];
      await setup.send(sent).expect(200, { received: 2, recorded: 2 });
      await setup.worker.drain();
      expect(await status(id)).to.equal('failed');
      await setup.send(sent).expect(200, { received: 2, recorded: 0 });
      const [row, ...more] = await unreadable();
      expect(more).to.deep.equal([]);
      expect(row?.state).to.equal('quarantined');
      expect(row?.reason).to.match(/^It cannot be read: /);
      expect(row?.reason?.slice('It cannot be read: '.length)).to.match(member);
      expect(row?.data).to.deep.include({ noticeId: `bad ${what}`, kind: broken.kind });
      expect(JSON.stringify(row)).not.to.include('1234');
      expect(row?.account_id).to.match(/^acct_/);
      expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
        'A test notice of watched waits for you: unreadable',
      ]);
      expect(setup.mails[0]?.text).to.include(`bad ${what} at the processor`);
      expect(setup.errors.map(({ facts }) => facts['kind'])).to.deep.equal(['unreadable']);
    });
  }

  it('is closed by the version that can be read, whichever comes first', async () => {
    const { id, operationId } = await refunded();
    const readable = notice({ ...RETURNED, noticeId: 'again 1', operationId });
    await setup.deliver({ ...readable, data: { code: 5, message: 'Closed.' } });
    expect((await unreadable())[0]?.state).to.equal('quarantined');
    await setup.deliver(readable);
    expect(await status(id)).to.equal('failed');
    expect((await unreadable())[0]).to.include({ state: 'ignored', reason: READ_LATER });
    const other = await refunded();
    const early = notice({ ...RETURNED, noticeId: 'again 2', operationId: other.operationId });
    await setup.deliver(early);
    await setup.deliver({ ...early, kind: 'refund.lost' });
    expect((await unreadable())[1]).to.include({ state: 'ignored', reason: READ_LATER });
    expect(await status(other.id)).to.equal('failed');
  });

  it('without an id is stored once for all repeats, and apart from others', async () => {
    const entry = { kind: 'charge.settled', processorReference: 'r1', data: { amount: 'x' } };
    const number = '4242424242424242';
    const entries = [
      entry,
      { ...entry, data: { amount: 'y' } },
      'broken',
      null,
      { noticeId: 17, card: number, kind: number },
      hostile(),
    ];
    setup.bank.reading = async function* () {
      yield* entries;
    };
    await setup.send([]).expect(200, { received: 6, recorded: 6 });
    await setup.send([]).expect(200, { received: 6, recorded: 0 });
    await setup.worker.drain();
    const rows = await unreadable();
    expect(rows.map(({ state }) => state)).to.deep.equal(Array(6).fill('quarantined'));
    expect(rows[4]?.data).to.deep.include({ noticeId: '17' });
    expect(JSON.stringify(rows)).not.to.include(number);
    // One e-mail says where all are: a file may have very many.
    expect(setup.mails.length).to.be.lessThan(3);
  });

  it('cannot be sent as one, nor take the key of one', async () => {
    await setup.deliver(
      { kind: 'unreadable', noticeId: 'u1', processorReference: 'r', data: {} },
      { ...RETURNED, noticeId: `unreadable:${'0'.repeat(64)}`, processorReference: 'r' },
    );
    const reasons = (await unreadable()).map(({ reason }) => reason ?? '');
    expect(reasons[0]).to.match(/^It cannot be read: kind must be one of /);
    expect(reasons[1]).to.include('that does not begin with unreadable:');
  });

  it('of a file does not keep out the others', async () => {
    const { id, operationId } = await refunded();
    const path = join(folder, 'day.jsonl');
    const lines = [
      notice({ kind: 'charge.moved', data: {} }),
      notice({ ...RETURNED, operationId }),
      notice({ kind: 'settlement_line', data: { lineId: 'l', amount: '5' } }),
    ];
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const take = () => setup.paymount.ingest('test', createReadStream(path));
    expect(await take()).to.deep.equal({ notices: 3, recorded: 3 });
    expect(await status(id)).to.equal('failed');
    expect(await take()).to.deep.equal({ notices: 3, recorded: 0 });
    expect((await unreadable()).map(({ state }) => state)).to.deep.equal([
      'quarantined',
      'quarantined',
    ]);
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { SILENT } from '../support/host.ts';
import { type NoticeSetup, notice, startNoticeSetup } from '../support/notifying-bank.ts';

const SECOND = 1_000;
/** A lock is awaited for 3 s, which 5 notices one after the other would do for 15 s. */
const LOCKED_NOTICES = 5;
const TWO_WAITS_MS = 8 * SECOND;
const HOUR = 3_600 * SECOND;
const LOCKED = 'Another transaction had locked what it is about, or the database took too long.';
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

interface Row {
  readonly state: string;
  readonly tries: number;
  readonly reason: string | null;
  readonly wait: number;
}

describe('Notices about a charge whose row somebody holds', () => {
  let setup: NoticeSetup;
  let holder: pg.Client;
  const warnings: string[] = [];

  beforeEach(async () => {
    const warn = (_: unknown, sentence: string) => void warnings.push(sentence);
    setup = await startNoticeSetup({ logger: { ...SILENT, warn, error: warn } });
    holder = new pg.Client({ connectionString: setup.databaseUrl });
    await holder.connect();
    warnings.length = 0;
  });
  afterEach(async () => {
    await holder.end();
    expect(await setup.paymount.verify()).to.deep.equal([]);
    await setup.close();
  });

  const sale = async (): Promise<{ readonly id: string; readonly reference: string }> => {
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    return { id: body.id, reference: body.processor.reference };
  };
  const hold = async (id: string): Promise<void> => {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM paymount.charges WHERE id = $1 FOR UPDATE', [id]);
  };
  const alert = (reference: string, number: number) =>
    notice({
      kind: 'dispute.alert',
      processorReference: reference,
      data: {
        disputeReference: `alert_${number} of ${reference}`,
        amount: 100,
        currency: 'eur',
        reason: 'fraudulent',
      },
    });
  const line = (reference: string, number: number) =>
    notice({
      kind: 'settlement_line',
      processorReference: reference,
      data: {
        lineId: `line_${number} of ${reference}`,
        amount: 10_000,
        currency: 'eur',
        settledOn: new Date().toISOString(),
        kind: 'payment',
      },
    });
  /** In the order in which they were sent. */
  const rowsOf = (reference: string): Promise<readonly Row[]> =>
    query<Row>(
      setup.databaseUrl,
      `SELECT state, tries, reason,
          extract(epoch FROM next_try_at - statement_timestamp())::float8 AS wait
        FROM paymount.notices WHERE processor_reference = '${reference}' ORDER BY id`,
    );
  const tried = (reference: string): Promise<readonly Row[]> =>
    eventually(
      () => rowsOf(reference),
      (rows) => rows.every(({ state }) => state !== 'received'),
    );

  for (const [what, make] of [
    ['that change it', alert],
    ['of its settlement', line],
  ] as const) {
    it(`${what} are tried again in 10 seconds, and one try alone waits for the row`, async () => {
      const { id, reference } = await sale();
      await hold(id);
      const notices = Array.from({ length: LOCKED_NOTICES }, (_, number) =>
        make(reference, number),
      );
      const startedMs = performance.now();
      await setup.send(notices).expect(200);
      const rows = await tried(reference);
      expect(performance.now() - startedMs).to.be.below(TWO_WAITS_MS);
      for (const { state, tries, reason, wait } of rows) {
        expect({ state, tries, reason }).to.deep.equal({
          state: 'waiting',
          tries: 0,
          reason: LOCKED,
        });
        expect(wait - setup.clock.shiftMs / SECOND).to.be.within(0, 10);
      }
      expect(warnings).to.deep.equal([
        'Another transaction has locked rows of an account for too long; what is due of it is tried again.',
      ]);
      await holder.query('ROLLBACK');
      await setup.pass(11 * SECOND);
      const after = await rowsOf(reference);
      expect(after.some(({ state }) => state === 'applied')).to.equal(true);
    });
  }

  it('are on the schedule of other failures an hour later, and then wait for a person', async () => {
    const { id, reference } = await sale();
    await hold(id);
    await setup.send([alert(reference, 1)]).expect(200);
    const waits = { state: 'waiting', reason: LOCKED };
    const [first] = await tried(reference);
    expect(first).to.include({ ...waits, tries: 0 });
    await setup.pass(HOUR + SECOND);
    const [later] = await rowsOf(reference);
    expect(later).to.include({ ...waits, tries: 1 });
    // As after the last step of the schedule.
    await query(
      setup.databaseUrl,
      `UPDATE paymount.notices SET tries = 10 WHERE processor_reference = '${reference}'`,
    );
    await setup.pass(11 * SECOND);
    const [last] = await rowsOf(reference);
    expect(last).to.include({ state: 'quarantined', tries: 11 });
    const { json } = await setup.admin('/notices');
    expect((json['data'] as unknown[]).length).to.equal(1);
    await query(
      setup.databaseUrl,
      `DELETE FROM paymount.notices WHERE processor_reference = '${reference}'`,
    );
  });
});

import type { EndpointId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type BacklogSetup, openBacklogSetup } from '../../support/backlog-setup.ts';

const ENDPOINTS = 10_000;
const HOURS = 24;
const TO = new Date('2026-11-21T00:00:00.000Z');
const FROM = new Date(TO.getTime() - HOURS * 3_600_000);
/** Those that have counts in each hour; the account of the reader has others. */
const BUSY = 1_000;

describe('What the counts of attempts cost', function () {
  this.timeout(60_000);
  let setup: BacklogSetup;

  before(async () => {
    setup = await openBacklogSetup({ endpoints: ENDPOINTS, events: 1 });
    await setup.query('ALTER TABLE paymount.delivery_counts SET (autovacuum_enabled = false)');
  });
  after(() => setup.close());

  /** Each hour of a day. */
  const fill = (from: Date) =>
    setup.query(
      `INSERT INTO paymount.delivery_counts
       SELECT 'we_' || lpad(e::text, 26, '0'), 'hour', $1::timestamptz + h * interval '1 hour',
         'charge.succeeded', 'succeeded', '', 2, 1, 1, 10
       FROM generate_series(0, ${BUSY} - 1) e, generate_series(0, ${HOURS} - 1) h`,
      [from],
    );

  for (const statistics of ['empty', 'stale', 'full'] as const) {
    it(`is that of the endpoints of the account, with statistics that are ${statistics}`, async () => {
      await setup.query('TRUNCATE paymount.delivery_counts');
      if (statistics !== 'stale') await setup.query('ANALYZE paymount.delivery_counts');
      await fill(FROM);
      if (statistics === 'full') await setup.query('ANALYZE paymount.delivery_counts');
      const endpoint = `we_${'0'.repeat(26)}` as EndpointId;
      const { deliveries } = setup.postgres.storage.read;
      const filter = { interval: 'hour', from: FROM, to: TO, endpoint } as const;
      const explained = await setup.explain(() => deliveries.counts(setup.owner, filter));
      expect(explained).to.not.be.empty;
      for (const { name, scanned, blocks, plan } of explained) {
        expect(scanned, `${name}: ${plan}`).to.not.include('delivery_counts');
        expect(blocks, `${name}: ${plan}`).to.be.at.most(100);
      }
      const purged = await setup.explain(() =>
        setup.postgres.deliveries.purgeCounts('hour', FROM, 5_000),
      );
      for (const { name, scanned, blocks, plan } of purged) {
        expect(scanned, `${name}: ${plan}`).to.not.include('delivery_counts');
        expect(blocks, `${name}: ${plan}`).to.be.at.most(100);
      }
    });
  }

  it('is that of the hours to be counted, not that of the log', async () => {
    await setup.postgres.deliveries.createPartitions(FROM, 1);
    await setup.query(
      `INSERT INTO paymount.delivery_attempts (id, account_id, livemode, delivery_id, event_id,
         event_type, endpoint_id, attempt, outcome, url, request_headers, response_truncated,
         started_at, duration_ms, reused_connection, redialed)
       SELECT 'att_' || n, $1, false, 'dlv_' || n, 'evt_' || n, 'charge.succeeded', 'we_' || n % 10, 1,
         'succeeded', 'http://127.0.0.1:9/', '{}', false, $2::timestamptz + n * interval '8 s', 1,
         true, false FROM generate_series(0, 10799) n`,
      [setup.owner.accountId, FROM],
    );
    await setup.query('TRUNCATE paymount.delivery_counts');
    await fill(new Date(FROM.getTime() - HOURS * 3_600_000));
    await setup.query('VACUUM ANALYZE paymount.delivery_attempts, paymount.delivery_counts');
    const now = new Date(TO.getTime() - 1);
    while (await setup.postgres.deliveries.countAttempts(now));
    // Only the hour in progress is counted again: a 24th of the attempts.
    const explained = await setup.explain(() => setup.postgres.deliveries.countAttempts(now));
    const counting = explained.filter(({ name }) => name.startsWith('pm_counts_hour'));
    expect(counting).to.have.length(2);
    for (const { scanned, rows, plan } of explained) {
      // The partitions of other days are empty.
      expect(scanned, plan).to.not.include('delivery_attempts_20261120');
      expect(scanned, plan).to.not.include('delivery_counts');
      expect(rows, plan).to.be.at.most(5_000);
    }
  });
});

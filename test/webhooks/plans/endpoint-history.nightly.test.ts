import { expect } from 'chai';
import { type BacklogSetup, openBacklogSetup } from '../../support/backlog-setup.ts';
import { ENGINE_STATEMENTS } from '../../support/engine-statements/all-statements.ts';

/** Both are kept for ever, so an account may have any number of them. */
const KEPT = 40_000;
/** A claim of 128 rows reads up to 21,000, with its joins. */
const AT_MOST_ROWS = 30_000;

describe('Secrets that have expired, and endpoints that were deleted', function () {
  this.timeout(60_000);
  let setup: BacklogSetup;

  before(async () => {
    setup = await openBacklogSetup({ endpoints: 201, events: 1_000 });
    await setup.load({ done: 1_000, atFirst: 1_000, others: 100 }, 'full');
    await expireSecrets(setup);
    await deleteEndpoints(setup);
  });
  after(() => setup.close());

  /** @param send sends statements of which none may read them */
  const expectFewRows = async (send: () => Promise<unknown>) => {
    const explained = await setup.explain(send);
    expect(explained).to.not.be.empty;
    for (const { name, rows, plan } of explained) {
      expect(rows, `${name}: ${plan}`).to.be.at.most(AT_MOST_ROWS);
    }
  };
  const sendAll = (kind: 'claim' | 'recording of two events') => async () => {
    const named = ENGINE_STATEMENTS.filter(({ what }) => what.startsWith(kind));
    for (const { send } of named) await send(setup);
  };

  const itReadsFew = () => {
    it('are not read by claims', () => expectFewRows(sendAll('claim')));

    it('are not read in search of deliveries that do not fit the status of their endpoint', () =>
      expectFewRows(() => setup.postgres.deliveries.recheckStatuses()));
  };

  describe('with statistics of a time without them', () => itReadsFew());

  describe('with full statistics', () => {
    before(() =>
      setup.query('VACUUM ANALYZE paymount.endpoint_secrets, paymount.webhook_endpoints'),
    );

    itReadsFew();

    it('are not read when an event is recorded', () =>
      expectFewRows(sendAll('recording of two events')));

    it('are not counted for the health', () =>
      expectFewRows(() => setup.postgres.state.read(new Date())));
  });
});

/** Rotations without an overlap, of the endpoint that has the backlog. */
async function expireSecrets({ owner, query }: BacklogSetup): Promise<void> {
  await query(
    `INSERT INTO paymount.endpoint_secrets
       (id, account_id, livemode, endpoint_id, sealed, kid, last4, hash, created, expires_at)
     SELECT 'whs_' || n, $1, false, 'we_' || repeat('0', 26), '', '', '',
       sha256(convert_to(n::text, 'UTF8')), now() - interval '1 day', now() - interval '1 day'
     FROM generate_series(1, ${KEPT}) n`,
    [owner.accountId],
  );
}

/** Of the account that records events. */
async function deleteEndpoints({ publisher, query }: BacklogSetup): Promise<void> {
  await query(
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
       enabled_events, metadata, api_version, status, secret_version, created)
     SELECT 'we_deleted' || n, $1, false, 1, 'http://127.0.0.1:9/', '{payout.*}', '{}', '2026-11-01',
       'deleted', 1, now() FROM generate_series(1, ${KEPT}) n`,
    [publisher.accountId],
  );
}

import type { EndpointId } from '@paymount/core/kernel';
import type { BacklogSetup } from '../backlog-setup.ts';
import { CLAIM, type EngineStatement, failures, LEASE, leased, waiting } from './statement.ts';

const MANY = { perEndpoint: 200, replays: 200 };
/** `$2` is how long they have failed; null if they do not. */
const FAILING = `UPDATE paymount.webhook_endpoints SET failing_since = now() - $2::interval,
  warning_queued_at = NULL, final_warning_queued_at = NULL WHERE id = ANY ($1)`;

const CLAIMS = (['fast', 'slow'] as const).flatMap((lane) =>
  (['event', 'replay'] as const).map((origin) => ({ lane, origin })),
);

/** Claims, leases, results and purges of deliveries. */
export const DELIVERY_STATEMENTS: readonly EngineStatement[] = [
  ...CLAIMS.map((which) => ({
    what: `claim of 128 due deliveries (${which.origin}, ${which.lane})`,
    send: ({ postgres }: BacklogSetup) => postgres.deliveries.claimDue({ ...CLAIM, ...which }),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  })),
  {
    what: 'claim of due deliveries of slow endpoints that were quick before',
    send: ({ postgres }) =>
      postgres.deliveries.claimDue({ ...CLAIM, lane: 'slow', origin: 'event', wasQuick: true }),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'claim of due deliveries while the account with the backlog has no free slot',
    send: ({ postgres, owner }) =>
      postgres.deliveries.claimDue({
        ...CLAIM,
        lane: 'fast',
        origin: 'event',
        excludedAccounts: [owner.accountId],
      }),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'move of 100 endpoints to the slow lane',
    send: async ({ query, postgres }) => {
      const rows = await query<{ id: EndpointId }>(
        'SELECT id FROM paymount.webhook_endpoints ORDER BY id LIMIT 100',
      );
      await postgres.deliveries.changeLanes(new Map(rows.map(({ id }) => [id, 'slow'])));
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'claim of 128 named deliveries',
    send: async (setup) =>
      setup.postgres.deliveries.claimById({
        ...LEASE,
        wanted: (await waiting(setup, 128)).map(({ id }) => ({ id, attempt: 1 })),
        aheadMs: 1_000,
        replays: 64,
        held: [],
        excluded: [],
        excludedFromReplays: [],
        excludedAccounts: [],
        // All that wait are of one endpoint.
        quick: {
          endpoints: (await waiting(setup, 1)).map(({ endpoint_id }) => endpoint_id),
          ...MANY,
        },
      }),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'search for the most overdue delivery',
    send: ({ postgres }) => postgres.deliveries.overdueMs(0),
    atMostBlocks: 25_000,
    atMostRows: 26_000,
  },
  {
    what: 'deletion of 1,000 old deliveries',
    send: ({ postgres }) =>
      postgres.deliveries.purge({ after: '', finishedBefore: new Date(), limit: 1_000 }),
    atMostBlocks: 25_000,
    atMostRows: 26_000,
  },
  {
    what: 'deletion of old replays',
    send: ({ postgres }) => postgres.replays.purge(new Date(), 1_000),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'export of 100 old deliveries, and of old replays',
    send: async ({ postgres }) => {
      const walk = { before: new Date(), limit: 100 };
      await postgres.exports.step({ ...walk, table: 'deliveries' }, async () => undefined);
      await postgres.exports.step({ ...walk, table: 'replays' }, async () => undefined);
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'release of 128 deliveries',
    send: async (setup) => setup.postgres.deliveries.release(LEASE.leaseToken, await leased(setup)),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'lengthening of 128 leases',
    send: async (setup) => {
      const { leaseToken } = LEASE;
      const leases = (await leased(setup)).map((id) => ({ id, leaseToken }));
      await setup.postgres.deliveries.renewLeases(leases, 25_000);
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'search for 500 attempts that are still waited for',
    send: async (setup) => {
      const named = (await waiting(setup, 500)).map(({ id }) => ({ id, attempt: 1 }));
      await setup.postgres.deliveries.findWaiting(named);
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'recording of 400 results that pass over locked deliveries',
    send: async (setup) =>
      setup.postgres.deliveries.close(await failures(setup, 400), () => undefined, {
        skipsLocked: true,
      }),
    // As many as below, and the search for locked ones.
    atMostBlocks: 400 * 50,
    atMostRows: 400 * 30,
  },
  {
    what: 'recording of 400 results',
    send: async (setup) =>
      setup.postgres.deliveries.close(await failures(setup, 400), () => undefined),
    // About 12 of the row and its indexes, 12 of the log.
    atMostBlocks: 400 * 40,
    atMostRows: 400 * 20,
  },
  {
    what: 'recording of results of which one was recorded before',
    send: async (setup) => {
      const [first, ...others] = await failures(setup, 100);
      if (first === undefined) throw new Error('Nothing waits.');
      await setup.postgres.deliveries.close([first], () => undefined);
      await setup.postgres.deliveries.close([first, ...others], () => undefined);
    },
    atMostBlocks: 100 * 60,
    atMostRows: 100 * 30,
  },
  {
    what: 'the same, passing over locked deliveries',
    send: async (setup) => {
      const [first, ...others] = await failures(setup, 100);
      if (first === undefined) throw new Error('Nothing waits.');
      const how = { skipsLocked: true };
      await setup.postgres.deliveries.close([first], () => undefined, how);
      await setup.postgres.deliveries.close([first, ...others], () => undefined, how);
    },
    atMostBlocks: 100 * 70,
    atMostRows: 100 * 40,
  },
  {
    what: 'search for who has locked a delivery',
    send: async (setup) => {
      const [row] = await waiting(setup, 1);
      if (row === undefined) throw new Error('Nothing waits.');
      const { id, endpoint_id: endpointId } = row;
      const { accountId } = setup.owner;
      await setup.postgres.deliveries.findLockHolders({ id, endpointId, accountId });
    },
    atMostBlocks: 200,
    atMostRows: 1_000,
  },
  {
    what: 'recording of failures of an endpoint that is warned, and warned again',
    send: async (setup) => {
      for (const kind of ['warning', 'final_warning'] as const) {
        const failed = await failures(setup, 1);
        const ids = failed.map(({ record }) => record.endpointId);
        await setup.query(FAILING, [ids, '30 hours']);
        const verdict = { kind, mails: [], isUnmailable: true, isUnwarned: false };
        await setup.postgres.deliveries.close(failed, () => verdict);
        await setup.query(FAILING, [ids, null]);
      }
    },
    atMostBlocks: 200,
    // Some hundred endpoints are failing.
    atMostRows: 1_000,
  },
  {
    what: 'log of 100 attempts whose process died',
    send: async (setup) => {
      const records = (await failures(setup, 100)).map(({ record }) => record);
      await setup.postgres.deliveries.recordAbandoned(records);
    },
    atMostBlocks: 100 * 20,
    atMostRows: 100 * 10,
  },
  {
    what: 'postponement of 100 deliveries that could not be signed',
    send: async (setup) => {
      const wanted = await waiting(setup, 100);
      const ids = wanted.map(({ id }) => id);
      await setup.query(
        `UPDATE paymount.deliveries SET lease_token = $2, leased_at = now(),
           lease_until = now() + interval '25 s' WHERE id = ANY ($1)`,
        [ids, LEASE.leaseToken],
      );
      const wait = { ms: 60_000, broken: true };
      await setup.postgres.deliveries.postpone(LEASE.leaseToken, ids, wait);
    },
    atMostBlocks: 8_000,
    atMostRows: 100 * 10,
  },
  {
    what: 'log of one delivery',
    send: async (setup) => {
      const [first] = await waiting(setup, 1);
      const { deliveries } = setup.postgres.storage.read;
      const found = first && (await deliveries.find(setup.owner, first.id));
      if (found === undefined) throw new Error('Nothing waits.');
      await deliveries.log(found);
    },
    atMostBlocks: 200,
    // Those of the results above, also of the ones that were rolled back.
    atMostRows: 300,
  },
  {
    what: 'count of the attempts of the hour in progress',
    send: async ({ postgres }) => {
      await postgres.deliveries.countAttempts(new Date());
      await postgres.deliveries.purgeCounts('hour', new Date(0), 1_000);
    },
    // All attempts that this table has logged are of the hour in progress.
    needsAllOf: /^delivery_attempts/,
    atMostBlocks: 6_000,
    atMostRows: 60_000,
  },
  {
    what: 'count of hours with and without attempts',
    send: async ({ postgres }) => {
      // In the middle of the day, as the day before has no partition here.
      const noon = new Date(new Date().setUTCHours(12, 30));
      await postgres.deliveries.countAttempts(noon);
    },
    // All attempts that this table has logged are of the hour in progress.
    needsAllOf: /^delivery_attempts/,
    atMostBlocks: 6_000,
    atMostRows: 60_000,
  },
];

import { buildEvent, type Event } from '@paymount/core/changes';
import { DispatchHub } from '@paymount/core/events';
import { newId, type Owner } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { type BacklogSetup, openBacklogSetup } from '../support/backlog-setup.ts';

const CALLERS = 40;

function payout(owner: Owner): Event {
  return buildEvent({
    owner,
    objectVersion: 1,
    type: 'payout.paid',
    at: new Date(),
    source: 'trigger',
    object: { id: newId('po') },
  });
}

describe('Recording an event', () => {
  let setup: BacklogSetup;

  before(async () => {
    setup = await openBacklogSetup({ endpoints: 2, events: 1 });
  });
  after(() => setup.close());

  function record(
    { storage }: Pick<PostgresStorage, 'storage'> = setup.postgres,
  ): Promise<unknown> {
    const { publisher } = setup;
    const event = payout(publisher);
    const change = { ...publisher, at: event.created, writes: [], events: [event] };
    return storage.changes.apply(change);
  }

  async function countStatements(work: () => Promise<unknown>): Promise<number> {
    const explained = await setup.explain(work);
    // Each is explained with two plans.
    return explained.length / 2;
  }

  async function countRows(): Promise<readonly unknown[]> {
    return await setup.query(`SELECT (SELECT count(*)::integer FROM paymount.events
        WHERE type = 'payout.paid') AS events,
      (SELECT count(*)::integer FROM paymount.deliveries) AS deliveries`);
  }

  const recordMany = (on = setup.postgres) =>
    Promise.allSettled(Array.from({ length: CALLERS }, () => record(on)));

  it('is one statement while the endpoints of its account are known', async () => {
    expect(await countStatements(() => record())).to.equal(2);
    expect(await countStatements(() => record())).to.equal(1);
    await setup.query('UPDATE paymount.webhook_endpoints SET version = 2 WHERE account_id = $1', [
      setup.publisher.accountId,
    ]);
    expect(await countStatements(() => record())).to.equal(3);
    expect(await countStatements(() => record())).to.equal(1);
    expect(await countRows()).to.deep.equal([{ events: 4, deliveries: 4 }]);
  });

  it('shares its statement with the events of concurrent callers', async () => {
    // 32 of one turn, and the other 8.
    expect(await countStatements(() => recordMany())).to.equal(2);
    expect(await countRows()).to.deep.equal([{ events: 4 + CALLERS, deliveries: 4 + CALLERS }]);
  });

  it('is not tried again for anyone who shared it when the answer of the database is lost', async () => {
    const before = 4 + CALLERS;
    const pool = new pg.Pool({ connectionString: setup.databaseUrl, max: 4 });
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as (query: pg.QueryConfig) => Promise<unknown>;
      const query = async (sent: pg.QueryConfig): Promise<unknown> => {
        const answer = await send(sent);
        if (sent.text.includes('unnest')) throw new Error('The answer was lost.');
        return answer;
      };
      Object.assign(client, { query });
    });
    const postgres = createPostgresStorage({ connection: pool, dispatch: new DispatchHub() });
    await record(postgres);
    const outcomes = await recordMany(postgres);
    await postgres.close();
    await pool.end();
    const lost = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(lost.map((error: { code?: unknown }) => error.code)).to.deep.equal(
      Array.from({ length: CALLERS }, () => 'unavailable'),
    );
    const rows = before + 1 + CALLERS;
    expect(await countRows()).to.deep.equal([{ events: rows, deliveries: rows }]);
  });
});

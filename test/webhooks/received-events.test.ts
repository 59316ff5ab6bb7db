import { expect } from 'chai';
import {
  type Charge,
  type EventStore,
  onceById,
  postgresEventStore,
  receivedEventsTable,
  type WebhookEvent,
} from 'paymount/receiver';
import pg from 'pg';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';

const event: WebhookEvent = {
  id: 'evt_01k8w3f0g0e5ht3nq2v7yb6c9d',
  object: 'event',
  type: 'charge.succeeded',
  api_version: '2026-11-01',
  created: '2026-11-21T09:30:00.000Z',
  livemode: false,
  data: { object: { id: 'ch_1', amount: 4200 } as Charge },
};

describe('onceById with postgresEventStore', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let store: EventStore<pg.PoolClient>;

  before(async () => {
    database = await emptyDatabase();
    pool = new pg.Pool({
      connectionString: database.url,
      max: 10,
      connectionTimeoutMillis: 5_000,
    });
    store = postgresEventStore<pg.PoolClient>(pool);
    await pool.query('CREATE TABLE bookings (charge text NOT NULL)');
  });

  beforeEach(async () => {
    await pool.query('DROP TABLE IF EXISTS received_events');
    await pool.query(receivedEventsTable());
    await pool.query('TRUNCATE bookings');
  });

  after(async () => {
    await pool.end();
    await database.drop();
  });

  async function book({ data }: WebhookEvent, client: pg.PoolClient): Promise<void> {
    await client.query('INSERT INTO bookings (charge) VALUES ($1)', [data.object['id']]);
  }

  async function counts(): Promise<{ recorded: number; booked: number }> {
    const { rows } = await pool.query(`SELECT
      (SELECT count(*)::int FROM received_events) AS recorded,
      (SELECT count(*)::int FROM bookings) AS booked`);
    return rows[0];
  }

  it('handles an event the first time and skips it afterwards', async () => {
    const once = onceById(store, book);
    expect(await once(event)).to.equal('handled');
    expect(await once(event)).to.equal('duplicate');
    expect(await once({ ...event, id: 'evt_2' })).to.equal('handled');
    expect(await counts()).to.deep.equal({ recorded: 2, booked: 2 });
  });

  it('records nothing when the handler fails, so that the next delivery handles it', async () => {
    const failing = onceById(store, async (received, client) => {
      await book(received, client);
      throw new Error('out of stock');
    });
    let caught: unknown;
    await failing(event).catch((error: unknown) => {
      caught = error;
    });
    expect(String(caught)).to.equal('Error: out of stock');
    expect(await counts()).to.deep.equal({ recorded: 0, booked: 0 });
    expect(await onceById(store, book)(event)).to.equal('handled');
    expect(await counts()).to.deep.equal({ recorded: 1, booked: 1 });
  });

  it('handles one of 50 simultaneous deliveries of an event', async () => {
    const once = onceById(store, book);
    for (let round = 0; round < 10; round += 1) {
      const id = `evt_${round}`;
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => once({ ...event, id })));
      expect(outcomes.filter((outcome) => outcome === 'handled')).to.have.length(1);
    }
    expect(await counts()).to.deep.equal({ recorded: 10, booked: 10 });
  });

  it('lets a waiting duplicate handle the event when the first handler fails', async () => {
    let enter = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    let fail = (_: Error): void => undefined;
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const first = onceById(store, async () => {
      enter();
      await failure;
    })(event).catch((error: unknown) => error);
    await entered;
    const second = onceById(store, book)(event);
    fail(new Error('crashed'));
    expect(String(await first)).to.equal('Error: crashed');
    expect(await second).to.equal('handled');
    expect(await counts()).to.deep.equal({ recorded: 1, booked: 1 });
  });

  it('takes a table of the host, with its schema, and refuses what is not a name', async () => {
    await pool.query('CREATE SCHEMA IF NOT EXISTS shop');
    await pool.query(receivedEventsTable('shop.inbox'));
    const once = onceById(postgresEventStore<pg.PoolClient>(pool, 'shop.inbox'), book);
    expect(await once(event)).to.equal('handled');
    expect(await once(event)).to.equal('duplicate');
    for (const name of ['Inbox', 'a b', 'a;drop table b', 'a.b.c', '"a"', '']) {
      expect(() => receivedEventsTable(name), name).to.throw('is not a lower-case table name');
      expect(() => postgresEventStore(pool, name), name).to.throw('is not a lower-case table');
    }
  });
});

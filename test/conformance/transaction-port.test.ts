import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import { arrayLiteral } from '../../packages/storage-postgres/src/connection/array-literal.ts';
import {
  PORTED_COLUMNS,
  portedRow,
} from '../../packages/storage-postgres/src/host-transaction/port-rows.ts';
import { portSender } from '../../packages/storage-postgres/src/host-transaction/port-sender.ts';
import { portedStatement } from '../../packages/storage-postgres/src/host-transaction/port-values.ts';
import { sqlErrorIn } from '../../packages/storage-postgres/src/host-transaction/sql-error-in.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

/** What calls in a host's transaction read. */
const READ_TABLES = [
  'accounts',
  'balance_transactions',
  'charges',
  'customers',
  'events',
  'idempotency_keys',
  'operations',
  'payment_methods',
  'refunds',
  'tokens',
  'webhook_endpoints',
];

describe('what a transaction port is given', () => {
  it('has values of plain types, and text where the statement names the type', () => {
    const at = new Date('2026-11-01T09:30:00.123Z');
    expect(
      portedStatement(
        'SELECT $1::text[], $2::jsonb, $3::timestamptz, $4::bytea, $5::double precision, $6 WHERE a = $7 AND b = $8 AND c = ANY ($1) LIMIT $9',
        [
          arrayLiteral(['a"b', 'c\\d', null]),
          '{"a":1}',
          at,
          new Uint8Array([1, 255]),
          1.5,
          at,
          true,
          undefined,
          10n,
        ],
      ),
    ).to.deep.equal({
      text: 'SELECT $1::text::text[], $2::text::jsonb, $3::text::timestamptz, $4::text::bytea, $5::text::double precision, $6 WHERE a = $7 AND b = $8 AND c = ANY ($1::text::text[]) LIMIT $9',
      values: [
        '{"a\\"b","c\\\\d",NULL}',
        '{"a":1}',
        '2026-11-01T09:30:00.123Z',
        '\\x01ff',
        '1.5',
        at,
        true,
        null,
        '10',
      ],
    });
    expect(() => portedStatement('SELECT $1', [[1]])).to.throw(TypeError, 'needs a type');
  });
});

describe('what a transaction port answers', () => {
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('is read the same from every driver', () => {
    const created = new Date('2026-11-01T09:30:00.123Z');
    const read = {
      amount: 4200n,
      created,
      card: { last4: '4242' },
      status: 'failed',
      failure: null,
    };
    const rest = { status: 'failed', failure: null };
    for (const row of [
      { amount: '4200', created, card: { last4: '4242' }, ...rest },
      { amount: 4200n, created: '2026-11-01 09:30:00.123+00', card: '{"last4":"4242"}', ...rest },
      { amount: 4200, created: '2026-11-01T10:30:00.123+01:00', card: { last4: '4242' }, ...rest },
    ]) {
      expect(portedRow(row)).to.deep.equal(read);
    }
  });

  it('is known by the name of each column, which means one type in all tables', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ name: string; type: string }>(
      `SELECT DISTINCT column_name AS name, udt_name AS type FROM information_schema.columns
        WHERE table_schema = 'paymount' AND table_name = ANY ($1) ORDER BY 1, 2`,
      [READ_TABLES],
    );
    await client.end();
    expect(rows.length).to.be.greaterThan(50);
    const types = { int8: 'bigint', timestamptz: 'instant', jsonb: 'json' } as const;
    const isType = (type: string): type is keyof typeof types => type in types;
    const wrong = rows.filter(({ name, type }) =>
      (['bigint', 'instant', 'json'] as const).some(
        (kind) =>
          (PORTED_COLUMNS[kind] as readonly string[]).includes(name) !==
          (isType(type) && types[type] === kind),
      ),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('is awaited for as long as any statement; after that the transaction is lost', async () => {
    const sender = portSender({ query: () => new Promise(() => undefined), onEnd: null });
    expect(sender.isLost).to.equal(false);
    const refused = await sender
      .send({ text: 'SELECT 1', query_timeout: 20, types: pg.types })
      .catch((error: unknown) => error);
    expect(PaymountError.is(refused) && refused.code).to.equal('unavailable');
    expect(sender.isLost).to.equal(true);
  });

  it('is refused when it is not a result, or no query was sent', async () => {
    const query = { text: 'SELECT 1', query_timeout: 1_000, types: pg.types };
    const noRows = portSender({ query: async () => [] as never, onEnd: null });
    const refused = await noRows.send(query).catch(String);
    expect(refused).to.equal('TypeError: `query` of a port answers `{ rows }`.');
    const throwing = portSender({
      query: () => {
        throw new Error('closed');
      },
      onEnd: null,
    });
    const thrown = await throwing.send(query).catch((error: unknown) => error);
    expect(PaymountError.is(thrown) && thrown.code).to.equal('unavailable');
    expect([noRows.isLost, throwing.isLost]).to.deep.equal([false, false]);
  });

  it('is refused with the error of the database, wherever a library keeps it', () => {
    const message = 'duplicate key value violates unique constraint "operations_one_unresolved"';
    const known = { code: '23505', severity: 'ERROR', constraint: 'operations_one_unresolved' };
    const original = Object.assign(new Error(message), known);
    for (const thrown of [
      original,
      Object.assign(new Error(message), { code: '23505' }),
      new Error('Failed query', { cause: original }),
      Object.assign(new Error('QueryFailedError'), { driverError: original }),
      Object.assign(new Error('Raw query failed'), {
        code: 'P2010',
        meta: {
          driverAdapterError: {
            name: 'DriverAdapterError',
            cause: {
              kind: 'UniqueConstraintViolation',
              originalCode: '23505',
              originalMessage: message,
            },
          },
        },
      }),
    ]) {
      expect(sqlErrorIn(thrown)).to.include({ ...known, message });
    }
    for (const other of [
      Object.assign(new Error('broken'), { code: 'EPIPE' }),
      Object.assign(new Error('closed'), { code: 'P2028' }),
      undefined,
    ])
      expect(sqlErrorIn(other)).to.equal(undefined);
  });
});

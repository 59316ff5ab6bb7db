import knex, { type Knex } from 'knex';

const TABLES = `
CREATE SCHEMA IF NOT EXISTS shop;
CREATE TABLE IF NOT EXISTS shop.orders (
  id text PRIMARY KEY,
  item text NOT NULL,
  amount integer NOT NULL,
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'refunded')),
  charge text NOT NULL UNIQUE,
  placed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS shop.memberships (
  subscription text PRIMARY KEY,
  shopper text NOT NULL,
  status text NOT NULL,
  paid_until timestamptz NOT NULL,
  -- The event that told this last; ids of events are in the order of their making.
  as_of timestamptz NOT NULL,
  event text COLLATE "C" NOT NULL
);
CREATE TABLE IF NOT EXISTS shop.received_events (
  id text PRIMARY KEY,
  type text NOT NULL,
  body jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS shop.staff (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  password text NOT NULL,
  roles text[] NOT NULL
);
CREATE TABLE IF NOT EXISTS shop.merchant_users (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  password text NOT NULL,
  accounts jsonb NOT NULL
);
`;

/** Opens the shop's database; Paymount's tables live in it too, in a schema of their own. */
export function openShopDatabase(url: string): Knex {
  return knex({
    client: 'pg',
    connection: { connectionString: url, application_name: 'shop' },
    pool: { min: 0, max: 20 },
    acquireConnectionTimeout: 5_000,
  });
}

/** The shop's own tables; safe to run at each start. */
export async function createShopTables(database: Knex): Promise<void> {
  await database.raw(TABLES);
}

import type { Migration } from './migration.ts';

export const customers: Migration = {
  name: '0031-customers',
  breaking: false,
  sql: (s) => `
CREATE TABLE ${s}.customers (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES ${s}.accounts,
  livemode boolean NOT NULL,
  version integer NOT NULL,
  email text,
  name text,
  phone text,
  description text,
  address jsonb,
  shipping jsonb,
  balance bigint NOT NULL,
  preferred_locales text[] NOT NULL,
  default_payment_method_id text COLLATE "C",
  metadata jsonb NOT NULL,
  created timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (account_id, livemode, id),
  CONSTRAINT customers_deleted_are_blank CHECK (deleted_at IS NULL
    OR num_nonnulls(email, name, phone, description, address, shipping,
      default_payment_method_id) = 0 AND metadata = '{}' AND preferred_locales = '{}')
) WITH (fillfactor = 80);
CREATE INDEX customers_by_created ON ${s}.customers (account_id, livemode, created, id)
  WHERE deleted_at IS NULL;
CREATE INDEX customers_by_email ON ${s}.customers (account_id, livemode, email, created, id)
  WHERE email IS NOT NULL;
`,
};

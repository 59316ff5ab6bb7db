import type { ChargeId, CustomerId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import type {
  CardFacts,
  Mandate,
  MethodBlock,
  MethodDetails,
  MethodFacts,
  MethodUse,
  PaymentMethod,
  PaymentMethodReader,
  PaymentMethodRepository,
  Token,
  TokenReader,
  UsBankAccountFacts,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { column, columnNames, derived, fixed, json, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import { type ClockColumns, clockColumns, toClocked } from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';
import { correctable } from './correction-part.ts';

type Owned = 'id' | 'version' | 'accountId' | 'environment';

const methodFacts = facts<
  Pick<PaymentMethod, Owned | 'processorToken' | 'billingDetails' | 'metadata' | 'created'>
>({
  processorToken: 'fixed text',
  billingDetails: 'jsonb',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
});
const tokenFacts = facts<Pick<Token, Owned | 'processorToken' | 'used' | 'created' | 'expiresAt'>>({
  processorToken: 'fixed text',
  used: 'boolean',
  created: 'fixed timestamptz',
  expiresAt: 'fixed timestamptz',
});

export const paymentMethodTable: Table<PaymentMethod> = {
  name: 'payment_methods',
  code: 'p',
  columns: [
    ...methodFacts.columns,
    fixed('type', 'text', (method) => method.type),
    column('card', 'jsonb', (method) => (method.type === 'card' ? json(method.card) : null)),
    column('us_bank_account', 'jsonb', (method) => json(bankAccountOf(method))),
    column('sealed_number', 'text', (method) => method.number?.sealed ?? null),
    column('kid', 'text', (method) => method.number?.kid ?? null),
    fixed('mandate', 'jsonb', (method) => json(method.mandate)),
    derived(
      'blocked',
      { type: 'jsonb', of: ({ blocked }) => json(blocked) },
      // What another change has blocked meanwhile stays so.
      (value) => `COALESCE(blocked, ${value})`,
    ),
    column('consumed_by', 'text', ({ use }) => (use.state === 'spent' ? use.chargeId : null)),
    column('customer_id', 'text', ({ use }) => (use.state === 'attached' ? use.customerId : null)),
    column('detached_at', 'timestamptz', ({ use }) => (use.state === 'detached' ? use.at : null)),
    column('erased_at', 'timestamptz', ({ use }) => (use.state === 'erased' ? use.at : null)),
    column('test_clock_id', 'text', (method) => method.clock?.id ?? null),
  ],
};

export const tokenTable: Table<Token> = {
  name: 'tokens',
  code: 't',
  columns: [
    ...tokenFacts.columns,
    fixed('type', 'text', (token) => token.type),
    fixed('card', 'jsonb', (token) => (token.type === 'card' ? json(token.card) : null)),
    column('us_bank_account', 'jsonb', (token) => json(bankAccountOf(token))),
    column('sealed_number', 'text', (token) => token.number?.sealed ?? null),
    column('kid', 'text', (token) => token.number?.kid ?? null),
  ],
};

function bankAccountOf(method: MethodFacts): UsBankAccountFacts | undefined {
  return method.type === 'us_bank_account' ? method.usBankAccount : undefined;
}

interface FactsRow extends StoredRow {
  readonly card: CardFacts | null;
  readonly us_bank_account: UsBankAccountFacts | null;
  readonly sealed_number: string | null;
  readonly kid: string | null;
}

/** As it is stored, with its test clock. */
export interface PaymentMethodRow extends FactsRow, ClockColumns {
  readonly consumed_by: ChargeId | null;
  readonly customer_id: CustomerId | null;
  readonly detached_at: Date | null;
  readonly erased_at: Date | null;
  readonly mandate: (Omit<Mandate, 'acceptedAt'> & { readonly acceptedAt: string }) | null;
  readonly blocked: MethodBlock | null;
}

const findMethods = statement('pm_methods_find_v6', (s) =>
  selectByIds(s, paymentMethodTable, `, ${clockColumns(s, paymentMethodTable.name)}`),
);
const findTokens = statement('pm_tokens_find_v3', (s) => selectByIds(s, tokenTable));

const countAttached = statement(
  'pm_methods_count_attached_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.payment_methods
    WHERE account_id = $1 AND livemode = $2 AND customer_id = $3`,
);

export const METHOD_COLUMNS: readonly string[] = columnNames(paymentMethodTable);

/** Other tokens may by chance have the same lock, and their corrections then wait. */
const lockCorrections = statement(
  'pm_methods_lock_corrections_v1',
  (s) => `SELECT EXISTS (SELECT FROM ${s}.payment_methods
      WHERE ${correctable('$1::text', '$2::boolean')}) AS found
    FROM pg_advisory_xact_lock(hashtextextended('paymount.corrections.' || $1::text, 0))`,
);

function selectByIds(
  schema: string,
  table: Table<PaymentMethod> | Table<Token>,
  others = '',
): string {
  return `SELECT ${columnNames(table).join(', ')}${others}
    FROM ${schema}.${table.name} WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`;
}

/** Payment methods on PostgreSQL. */
export function paymentMethodRows(session: Session): PaymentMethodReader {
  const findMany: PaymentMethodReader['findMany'] = async (owner, ids) => {
    const values = [owner.accountId, livemode(owner.environment), ids];
    return (await session.query<PaymentMethodRow>(findMethods, values)).rows.map(toPaymentMethod);
  };
  return {
    findMany,
    find: async (owner, id) => (await findMany(owner, [id]))[0],
    async countAttached(owner, customerId) {
      const values = [owner.accountId, livemode(owner.environment), customerId];
      const [row] = (await session.query<{ count: number }>(countAttached, values)).rows;
      return row?.count ?? 0;
    },
    async listAttached(owner, customerId, filter, page) {
      const listed = {
        table: paymentMethodTable.name,
        columns: METHOD_COLUMNS,
        order: 'created',
        // A payment method that is detached between two pages stays a cursor.
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          query.where({ customer_id: customerId });
          whereEqual(query, 'type', filter.type);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toPaymentMethod);
    },
  };
}

/** Payment methods in one transaction. */
export function savedMethodRows(session: Session): PaymentMethodRepository {
  return {
    async lockCorrections(environment, processorToken) {
      const values = [processorToken, livemode(environment)];
      const { rows } = await session.query<{ found: boolean }>(lockCorrections, values);
      return rows[0]?.found === true;
    },
    find: paymentMethodRows(session).find,
  };
}

/** Tokens on PostgreSQL. */
export function tokenRows(session: Session): TokenReader {
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), [id]];
      const [row] = (await session.query<FactsRow>(findTokens, values)).rows;
      return row && tokenFacts.read(row, toDetails(row));
    },
  };
}

/** The payment method of a row. */
export function toPaymentMethod(row: PaymentMethodRow): PaymentMethod {
  const { mandate, blocked } = row;
  return methodFacts.read(row, {
    ...toDetails(row),
    use: toUse(row),
    ...(mandate && { mandate: { ...mandate, acceptedAt: new Date(mandate.acceptedAt) } }),
    ...(blocked && { blocked }),
    ...toClocked(row),
  });
}

/** The table's CHECK ensures that at most one of the four columns is set. */
function toUse(row: PaymentMethodRow): MethodUse {
  if (row.customer_id !== null) return { state: 'attached', customerId: row.customer_id };
  if (row.detached_at !== null) return { state: 'detached', at: row.detached_at };
  if (row.erased_at !== null) return { state: 'erased', at: row.erased_at };
  return row.consumed_by === null
    ? { state: 'unattached' }
    : { state: 'spent', chargeId: row.consumed_by };
}

/** A payment method, like a token, is of a card or of a bank account. */
function toDetails(row: FactsRow): MethodDetails & Pick<PaymentMethod, 'number'> {
  const { card, us_bank_account: account, sealed_number: sealed, kid } = row;
  const number = sealed === null ? {} : { number: { sealed, kid: kid as string } };
  return account === null
    ? { type: 'card', card: card as CardFacts, ...number }
    : { type: 'us_bank_account', usBankAccount: account, ...number };
}

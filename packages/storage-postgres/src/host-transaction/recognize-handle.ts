import type { Session } from '../transaction/session.ts';
import type { HostHandle } from './host-handle.ts';
import type { HostTransaction, TransactionPort } from './host-transaction.ts';
import { isKnexTransaction, knexHandle } from './knex-handle.ts';
import { isPgClient, pgHandle } from './pg-handle.ts';
import { portHandle } from './port-handle.ts';

const PAGE = 'docs/how-to/join-your-transaction.md shows it for each library.';
const TAKEN =
  '`using()` takes a knex transaction, the `trx` of `knex.transaction(async (trx) => { … })`; a pg ' +
  'client on which `BEGIN` was awaited; or a port, `{ query, onEnd }`.';

/** Objects that hosts pass by mistake, recognized by their members, and what to pass instead. */
const MISTAKEN = [
  {
    by: ['unsafe', 'begin'],
    says: 'This is a `sql` of postgres.js. Make a port, `{ query, onEnd }`, in `sql.begin(async (tx) => …)`.',
  },
  {
    by: ['unsafe', 'savepoint'],
    says: 'This is a `sql` of postgres.js in a transaction. Make a port, `{ query, onEnd }`, of it.',
  },
  {
    by: ['raw', 'transaction'],
    says: 'This is knex itself. Pass the `trx` of `knex.transaction(async (trx) => { … })`.',
  },
  {
    by: ['totalCount'],
    says: 'This is a pg Pool, which runs each statement on any of its connections. Pass a client of `pool.connect()` on which `BEGIN` was sent.',
  },
  {
    by: ['escapeLiteral'],
    says: 'This pg client cannot tell whether it is in a transaction. Update pg to 8.23 or later.',
  },
  {
    by: ['$queryRawUnsafe'],
    says: 'This is a Prisma client. Make a port, `{ query, onEnd }`, of the client that `$transaction(async (tx) => …)` gives.',
  },
  {
    by: ['createQueryRunner'],
    says: 'This is a DataSource of TypeORM. Pass the client of a transaction: `await manager.queryRunner.connect()`.',
  },
  {
    by: ['getRepository'],
    says: 'This is an EntityManager of TypeORM. Pass the client under it: `await manager.queryRunner.connect()`.',
  },
  {
    by: ['selectDistinctOn'],
    says: 'This is a database of Drizzle. Pass the pg client that `drizzle({ client })` was given.',
  },
] as const;
/** How many members of an unknown object the message lists. */
const MAX_MEMBERS = 5;

/**
 * Recognizes the transaction that a host passed.
 * @throws TypeError if it is not an open transaction; the message says what to pass
 */
export function recognizeHandle(transaction: HostTransaction, base: Session): HostHandle {
  if (isKnexTransaction(transaction)) return knexHandle(transaction, base.statements);
  if (isPgClient(transaction)) return pgHandle(transaction, base);
  if (isPort(transaction)) return portHandle(transaction, base.statements);
  throw new TypeError(describeMistake(transaction));
}

/** One of the two members is enough to recognize a port that lacks the other. */
function isPort(value: unknown): value is TransactionPort {
  if (!isObject(value)) return false;
  return 'onEnd' in value || ('query' in value && findMistake(value) === undefined);
}

function describeMistake(value: unknown): string {
  const mistaken = findMistake(value);
  if (mistaken) return `${mistaken.says} ${PAGE}`;
  return `This is no transaction, but ${describeValue(value)}. ${TAKEN} ${PAGE}`;
}

function findMistake(value: unknown): (typeof MISTAKEN)[number] | undefined {
  if (!isObject(value) && typeof value !== 'function') return undefined;
  return MISTAKEN.find(({ by }) => by.every((member) => member in value));
}

/** Never the value itself: a string may contain a password. */
function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (!isObject(value)) return `a ${typeof value}`;
  const { name } = value.constructor ?? {};
  if (name && name !== 'Object') return `an object of the class ${name}`;
  const members = Object.keys(value).slice(0, MAX_MEMBERS);
  return `an object ${members.length > 0 ? `with ${members.join(', ')}` : 'without members'}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

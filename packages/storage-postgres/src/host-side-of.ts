import type { HostSide } from './host-side.ts';
import type { HostTransaction, TransactionPort } from './host-transaction.ts';
import { isKnexTransaction, knexSide } from './knex-side.ts';
import { isPgClient, pgSide } from './pg-side.ts';
import { portSide } from './port-side.ts';
import type { Session } from './session.ts';

const PAGE = 'docs/how-to/join-your-transaction.md shows it for each library.';

/** What is passed by mistake, by a member of it, and what to pass instead. */
const MISTAKEN = [
  {
    by: 'totalCount',
    says: 'This is a pg Pool, which runs each statement on any of its connections. Pass a client of `pool.connect()` on which `BEGIN` was sent.',
  },
  {
    by: 'escapeLiteral',
    says: 'This pg client cannot tell whether it is in a transaction. Update pg to 8.23 or later.',
  },
  {
    by: '$queryRawUnsafe',
    says: 'This is a Prisma client. Make a port, `{ query, onEnd }`, of the client that `$transaction(async (tx) => …)` gives.',
  },
  {
    by: 'createQueryRunner',
    says: 'This is a DataSource of TypeORM. Pass the client of a transaction: `await manager.queryRunner.connect()`.',
  },
  {
    by: 'getRepository',
    says: 'This is an EntityManager of TypeORM. Pass the client under it: `await manager.queryRunner.connect()`.',
  },
  {
    by: 'selectDistinctOn',
    says: 'This is a database of Drizzle. Pass the pg client that `drizzle({ client })` was given.',
  },
] as const;

/**
 * What a host passed as its transaction.
 * @throws TypeError for what is no open transaction, with what to pass
 */
export function hostSideOf(transaction: HostTransaction, base: Session): HostSide {
  if (isKnexTransaction(transaction)) return knexSide(transaction, base.statements);
  if (isPgClient(transaction)) return pgSide(transaction, base);
  if (isPort(transaction)) return portSide(transaction, base.statements);
  throw new TypeError(refusalOf(transaction));
}

function isPort(value: unknown): value is TransactionPort {
  return typeof value === 'object' && value !== null && 'onEnd' in value;
}

function refusalOf(value: unknown): string {
  if (typeof value === 'function') {
    return `This is no knex transaction. Pass the \`trx\` of \`knex.transaction(async (trx) => { … })\`. ${PAGE}`;
  }
  const members: unknown = value;
  const mistaken = MISTAKEN.find(
    ({ by }) => typeof members === 'object' && members !== null && by in members,
  );
  if (mistaken) return `${mistaken.says} ${PAGE}`;
  return (
    'This is no transaction. Pass the `trx` of `knex.transaction(async (trx) => { … })`, a pg client on ' +
    `which \`BEGIN\` was sent, or a port, \`{ query, onEnd }\`. ${PAGE}`
  );
}

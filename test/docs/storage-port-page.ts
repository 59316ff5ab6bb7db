import { STORAGE_CAPABILITIES, type StorageCapability } from '@paymount/core/store';
import { storageCases } from '@paymount/testing';
import { type DocumentedMember, listMembers } from './documented-members.ts';

const CORE = 'packages/core/src';
const SOURCES = [
  'store/storage-adapter',
  'store/stores',
  'store/storage',
  'changes/change',
  'changes/area-storage',
  'payments/wiring/payment-storage',
  'payments/payment-methods/payment-method-storage',
  'ledger/ledger',
  'payments/operations/operation-change',
  'payments/wiring/payment-change',
  'events/webhook-storage',
  'events/webhook-change',
  'access/access-storage',
].map((name) => `${CORE}/${name}.ts`);

/** `docs/reference/storage-port.md`: what an adapter of storage does, and how it is proved. */
export function storagePortPage(): string {
  return [
    INTRODUCTION,
    PROOF,
    lackable(),
    demanded(),
    section('StorageAdapter', 'What the option `storage` takes.'),
    section('StoragePorts', 'What `open` is given.'),
    section('Stores', 'What `open` answers.'),
    section('Storage', 'The part that services work on.', ['AreaStorage', 'PaymentStorage']),
    section('Repositories', 'What the work of one transaction is given.', [
      'Repositories',
      'PaymentRepositories',
      'WebhookRepositories',
    ]),
    section('Readers', 'What is read outside of transactions.', [
      'Readers',
      'PaymentReaders',
      'WebhookReaders',
    ]),
    section('AccessStorage', 'What changes permissions.'),
    section('AccessRepositories', 'What the work of one change of access is given.'),
    section('Directories', 'What admins read.'),
    section('StoredChange', 'What `changes.apply` commits whole, or not at all.', [
      'Change',
      'PaymentMethodEffects',
      'LedgerFacts',
      'OperationFacts',
      'PaymentFacts',
      'WebhookFacts',
    ]),
  ].join('\n');
}

/** Asked for names alone. */
const CASES = storageCases(() => {
  throw new Error('No case runs here.');
});

const MEANINGS: Readonly<Record<StorageCapability, string>> = {
  processes: 'Several processes work on one database at once.',
  'parallel-transactions': 'Two transactions are open at once; one waits for rows of the other.',
  'access-change-notifications':
    'A change of access reaches every other process that has the database open.',
  'delivery-notifications':
    'First attempts that a process announces reach every other process that listens.',
  'host-transactions': '`using` joins a transaction of the host. Needs `hostTransaction`.',
};

function lackable(): string {
  const rows = STORAGE_CAPABILITIES.map((capability) => {
    const names = CASES.filter(({ needs }) => needs === capability).map(({ name }) => name);
    return `| \`${capability}\` | ${MEANINGS[capability]} | ${names.join('; ')} |`;
  });
  return [LACKS, '| Capability | Means | Cases |', '|---|---|---|', ...rows, ''].join('\n');
}

function demanded(): string {
  const names = CASES.filter(({ needs }) => needs === undefined).map(({ name }) => `- ${name}`);
  return [`## What every adapter must do\n`, ...names, ''].join('\n');
}

/** @param interfaces whose members it has; the first that has a name describes it */
function section(name: string, sentence: string, interfaces: readonly string[] = [name]): string {
  const members = new Map<string, DocumentedMember>();
  for (const member of interfaces.flatMap((each) => listMembers(SOURCES, each))) {
    if (!members.has(member.name)) members.set(member.name, member);
  }
  return [`## ${name}\n`, `${sentence}\n`, renderTable([...members.values()])].join('\n');
}

function renderTable(members: readonly DocumentedMember[]): string {
  const rows = members.map(({ name, type, required, description, defaultValue }) => {
    const otherwise = required ? 'required' : defaultValue;
    return `| \`${name}\` | \`${type.replaceAll('|', '\\|')}\` | ${otherwise} | ${description} |`;
  });
  return ['| Member | Type | Default | |', '|---|---|---|---|', ...rows].join('\n').concat('\n');
}

const INTRODUCTION = `<!-- Generated from packages/core/src by \`npm run docs\`; do not edit. -->
# The storage port

Paymount stores all data through one port. The port may change with any minor version: an adapter of your own
follows the releases. The default adapter is PostgreSQL:
\`createPaymount({ database })\` is short for

\`\`\`ts
import { createPaymount } from 'paymount';
import { postgresStorage } from 'paymount/storage';

const database = process.env['DATABASE_URL'] ?? '';
export const paymount = await createPaymount({ storage: postgresStorage({ database }) });
\`\`\`

\`'paymount/storage'\` exports \`postgresStorage\`, and what the adapters for PostgreSQL and PGlite import from
Paymount: the types of the port, its errors, ids, rules for options, and the hash chain of audit records. An adapter
needs nothing else. The comments of these types say what two concurrent callers get.

The last word of a type says what it does:

| Word | What it does |
|---|---|
| \`…Reader\` | Reads, and locks nothing. |
| \`…Repository\` | Reads, locks and writes: in the transaction that it is bound to, or, outside of one, each call by itself. |
| \`…Queue\` | Gives work to workers: of two callers at once, one gets each item. |
| \`…Directory\` | Reads for admins, across accounts, in an \`AdminScope\`. |
| \`…Storage\` | Joins the ports of one area of Paymount, or of all areas. |

The names of methods say which race they decide, because races can lose money: \`apply\` returns \`raced\` if a
row is no longer in the state that the service read, and \`claimed\` if another request has the idempotency key;
\`claimDue\` gives each delivery to one caller. An adapter must keep these guarantees with many concurrent callers.
`;

const PROOF = `## Test an adapter

The suite is in the package \`@paymount/testing\`, which only authors of adapters
[install](../how-to/write-a-processor.md#test-it). It runs in mocha, jest, vitest and Node's own runner, on a
database that may contain other data. Each test migrates, opens and closes the adapter:

\`\`\`ts
import { describeStorage } from '@paymount/testing';
import knex from 'knex';
import { postgresStorage } from 'paymount/storage';

const database = process.env['DATABASE_URL'] ?? '';
const host = knex({ client: 'pg', connection: database });

describeStorage(() => postgresStorage({ database }), {
  // What the adapter says in its own \`lacks\`.
  lacks: [],
  // A transaction of the kind that \`using\` takes.
  hostTransaction: (work) => host.transaction(work),
});
\`\`\`

\`storageCases\` gives the same cases as objects \`{ name, run, needs, leftOut }\` for any other runner. A case
that is left out shows as skipped, with the reason; it never counts as passed, and its \`run\` rejects.
`;

const LACKS = `## What an adapter may lack

An adapter names in \`lacks\` what it cannot do by nature, and the suite gets the same list. PostgreSQL
lacks nothing. [\`pgliteStorage()\`](../how-to/test-your-integration.md#what-it-cannot-do), for unit tests, lacks
\`processes\`, \`parallel-transactions\`, \`access-change-notifications\` and \`delivery-notifications\`. An adapter without
\`processes\` serves tests alone.
`;

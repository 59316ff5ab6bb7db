import { type DocumentedMember, membersOf } from './documented-members.ts';

const CHANGES = 'packages/core/src/changes';
const SOURCES = ['storage-adapter', 'stores', 'storage', 'change', 'access-change'].map(
  (name) => `${CHANGES}/${name}.ts`,
);

/** `docs/reference/storage-port.md`: what an adapter of storage does, and how it is proved. */
export function storagePortPage(): string {
  return [
    INTRODUCTION,
    section('StorageAdapter', 'What the option `storage` takes.'),
    section('StoragePorts', 'What `open` is given.'),
    section('Stores', 'What `open` answers.'),
    section('Storage', 'The part that services work on.'),
    section('Repositories', 'What the work of one transaction is given.'),
    section('Readers', 'What is read outside of transactions.'),
    section('Change', 'What `changes.apply` commits whole, or not at all.'),
  ].join('\n');
}

function section(name: string, sentence: string): string {
  return [`## ${name}\n`, `${sentence}\n`, tableOf(membersOf(SOURCES, name))].join('\n');
}

function tableOf(members: readonly DocumentedMember[]): string {
  const rows = members.map(({ name, type, required, description, defaultValue }) => {
    const otherwise = required ? 'required' : defaultValue;
    return `| \`${name}\` | \`${type.replaceAll('|', '\\|')}\` | ${otherwise} | ${description} |`;
  });
  return ['| Member | Type | Default | |', '|---|---|---|---|', ...rows].join('\n').concat('\n');
}

const INTRODUCTION = `<!-- Generated from packages/core/src/changes by \`npm run docs\`; do not edit. -->
# The storage port

Everything that Paymount keeps goes through one port. PostgreSQL is its adapter unless you say
otherwise: \`createPaymount({ database })\` is short for

\`\`\`ts
import { createPaymount } from 'paymount';
import { postgresStorage } from 'paymount/storage';

const database = process.env['DATABASE_URL'] ?? '';
export const paymount = await createPaymount({ storage: postgresStorage({ database }) });
\`\`\`

\`'paymount/storage'\` exports the types of the port, and all that the adapter for PostgreSQL takes from
Paymount: its errors, ids, and the texts that audit records are chained by. An adapter needs
nothing else, and the comments of these types say what two callers at once get.

The verbs of the port name races, because money is lost in races: \`apply\` answers \`raced\` when a row
had left the state that the service saw, \`claimDue\` gives each delivery to one caller, \`begin\` lets one
request have an idempotency key. An adapter has to keep each of these promises with many callers
at once.
`;

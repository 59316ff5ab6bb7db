import { type DocumentedMember, listMembers } from './documented-members.ts';

/** Where options are declared. */
const SOURCES = [
  'packages/paymount/src/options/options.ts',
  'packages/paymount/src/options/invoice-settings.ts',
  'packages/documents/src/invoice-looks.ts',
  'packages/core/src/billing/customer-texts/seller.ts',
  'packages/core/src/billing/customer-mails/customer-mail-settings.ts',
  'packages/documents/src/pdf/pdf-printer.ts',
  'packages/storage-postgres/src/postgres-storage.ts',
];

/** The members of one interface of options. */
export function listOptions(interfaceName: string): readonly DocumentedMember[] {
  return listMembers(SOURCES, interfaceName);
}

/** What `createPaymount` takes: where PostgreSQL is, or a storage instead; and the rest. */
export const CREATE_OPTIONS = [
  'PostgresStorageOptions',
  'ServiceOptions',
  'PaymountStorageOptions',
];

/** `docs/reference/options.md`: what `createPaymount` takes. */
export function optionsPage(): string {
  return [
    INTRODUCTION,
    renderTable(CREATE_OPTIONS.slice(0, 2).flatMap(listOptions)),
    '\n## storage\n',
    STORAGE,
    renderTable(listOptions('PaymountStorageOptions')),
    '\n## egress\n',
    'Where webhooks may go. Private and local addresses are refused unless a network is listed.\n',
    renderTable(listOptions('EgressSettings')),
    '\n## retention\n',
    'How long data is kept that workers delete: [Retention](../how-to/retention.md).\n',
    renderTable(listOptions('RetentionSettings')),
    '\n## mail\n',
    'How e-mail is sent: by SMTP, unless there is a `mailer`.\n',
    renderTable(listOptions('MailSettings')),
    '\n## invoices\n',
    'What customers get of their invoices: [Send invoices and receipts](../how-to/send-invoices-and-receipts.md).\n',
    renderTable(listOptions('InvoiceSettings')),
    'The members of `seller`, or of what the function returns:\n',
    renderTable(listOptions('InvoiceSeller')),
    'The members of `appearance`:\n',
    renderTable(listOptions('InvoiceLooksOptions')),
    'The members of `emails`:\n',
    renderTable(listOptions('CustomerEmails')),
    'The members of `fonts`:\n',
    renderTable(listOptions('PdfFonts')),
    '\n## leaks\n',
    'The sources of reports of leaked credentials.\n',
    renderTable(listOptions('LeakSettings')),
  ].join('\n');
}

function renderTable(options: readonly DocumentedMember[]): string {
  const rows = options.map(({ name, type, required, description, defaultValue }) => {
    const otherwise = required ? 'required' : defaultValue;
    return `| \`${name}\` | \`${type.replaceAll('|', '\\|')}\` | ${otherwise} | ${description} |`;
  });
  return ['| Option | Type | Default | |', '|---|---|---|---|', ...rows].join('\n').concat('\n');
}

const STORAGE = `An adapter of the [storage port](storage-port.md), to store data elsewhere than in
PostgreSQL. It replaces the options \`database\`, \`schema\`, \`poolSize\`, \`directUrl\`
and \`preparedStatements\`; the author of the adapter closes its connections.
`;

const INTRODUCTION = `<!-- Generated from packages/paymount/src/options/options.ts by \`npm run docs\`; do not edit. -->
# Options

The options of \`createPaymount(options)\`. It throws an error if an option is invalid, the database is
unreachable or the schema is incompatible. The message says what to do.

\`\`\`ts
import { createPaymount } from 'paymount';
import { Pool } from 'pg';

export const paymount = await createPaymount({
  database: new Pool({ connectionString: process.env['DATABASE_URL'] }),
  migrate: true,
  // In the transaction that records a result; \`settled.kind\` is charge, refund, dispute, payout, invoice or subscription.
  hook: async (trx, settled) => {
    if (!('charge' in settled)) return;
    await trx('orders').where({ charge: settled.charge.id }).update({ status: 'settled' });
  },
  // What you keep of a charge: here 1.5 %, rounded down, in minor units.
  fees: (charge, captured) => {
    const amount = Math.floor((captured * 15) / 1000);
    return { amount, details: [{ amount, type: 'fee', description: \`Fee of \${charge.id}\` }] };
  },
  // Newest first; \`openssl rand -base64 32\` makes one.
  sealingKeys: [{ kid: '2026', key: process.env['SEALING_KEY'] ?? '' }],
});
\`\`\`
`;

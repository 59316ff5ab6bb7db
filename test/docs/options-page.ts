import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** One option, as its declaration and comment say. */
export interface DocumentedOption {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly defaultValue: string;
}

const SOURCE = new URL('../../packages/paymount/src/options.ts', import.meta.url);

/** The members of one interface of `options.ts`. */
export function optionsOf(interfaceName: string): readonly DocumentedOption[] {
  const text = readFileSync(SOURCE, 'utf8');
  const tree = ts.createSourceFile('options.ts', text, ts.ScriptTarget.ES2023, true);
  const found = tree.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === interfaceName,
  );
  if (found === undefined || !ts.isInterfaceDeclaration(found)) {
    throw new Error(`options.ts declares no interface ${interfaceName}.`);
  }
  return found.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(),
    type: member.type?.getText().replaceAll(/\s+/g, ' ') ?? '',
    required: member.questionToken === undefined,
    description: commentOf(member),
    defaultValue: tagOf(member, 'defaultValue'),
  }));
}

/** `docs/reference/options.md`: what `createPaymount` takes. */
export function optionsPage(): string {
  return [
    INTRODUCTION,
    tableOf(optionsOf('PaymountOptions')),
    '\n## egress\n',
    'Where webhooks may go. Private and local addresses are refused unless a network is listed.\n',
    tableOf(optionsOf('EgressSettings')),
    '\n## mail\n',
    'How e-mail goes out: by SMTP, unless there is a `mailer`.\n',
    tableOf(optionsOf('MailSettings')),
    '\n## leaks\n',
    'Who reports leaked credentials.\n',
    tableOf(optionsOf('LeakSettings')),
  ].join('\n');
}

function tableOf(options: readonly DocumentedOption[]): string {
  const rows = options.map(({ name, type, required, description, defaultValue }) => {
    const otherwise = required ? 'required' : defaultValue;
    return `| \`${name}\` | \`${type.replaceAll('|', '\\|')}\` | ${otherwise} | ${description} |`;
  });
  return ['| Option | Type | Default | |', '|---|---|---|---|', ...rows].join('\n').concat('\n');
}

function commentOf(member: ts.PropertySignature): string {
  const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  return oneLine(ts.getTextOfJSDocComment(comment?.comment));
}

function tagOf(member: ts.PropertySignature, name: string): string {
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === name);
  return oneLine(ts.getTextOfJSDocComment(tag?.comment)) || 'none';
}

function oneLine(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}

const INTRODUCTION = `<!-- Generated from packages/paymount/src/options.ts by \`npm run docs\`; do not edit. -->
# Options

What \`createPaymount(options)\` takes. A wrong option, a database out of reach and a schema that
this version cannot work on are refused before anything is mounted, with the cure.

\`\`\`ts
import { createPaymount } from 'paymount';
import { Pool } from 'pg';

export const paymount = await createPaymount({
  database: new Pool({ connectionString: process.env['DATABASE_URL'] }),
  migrate: true,
  // In the transaction that records a result; \`settled.kind\` is charge or refund.
  hook: async (trx, settled) => {
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

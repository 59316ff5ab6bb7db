import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { Balance, BalanceTransaction } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { CREATED, TEST_CLOCK } from '../../ui/filters.tsx';
import { Money } from '../../ui/money.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { TYPES } from './balance-words.ts';

const KINDS = [
  ['available', 'Available'],
  ['pending', 'Available later'],
  ['reserved', 'Reserved'],
] as const;

const FILTERS = [
  { label: 'Type', name: 'type', options: Object.keys(TYPES), words: TYPES },
  { label: 'For', name: 'source', placeholder: 'ch_… or re_…' },
  CREATED,
  TEST_CLOCK,
];

const COLUMNS: Columns<BalanceTransaction> = [
  {
    header: 'Type',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={TYPES[row.original.type]} />,
  },
  {
    header: 'Amount',
    cell: ({ row }) => <Money amount={row.original.amount} currency={row.original.currency} />,
  },
  {
    header: 'Fee',
    cell: ({ row }) => <Money amount={row.original.fee} currency={row.original.currency} />,
  },
  {
    header: 'Net',
    cell: ({ row }) => <Money amount={row.original.net} currency={row.original.currency} />,
  },
  { header: 'For', cell: ({ row }) => <ObjectLink id={row.original.source} /> },
  { header: 'Available', cell: ({ row }) => <Time at={row.original.available_on} /> },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function BalancePage() {
  const { data: balance, error } = useObject<Balance>('balance');
  return (
    <Page title="Balance" description="What the account has, and what changed it.">
      <ErrorMessage error={error} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {KINDS.map(([kind, label]) => (
          <Paper key={kind} withBorder p="md">
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            {balance?.[kind].map(({ amount, currency }) => (
              <Text key={currency} size="xl" fw={600}>
                <Money amount={amount} currency={currency} />
              </Text>
            ))}
            {balance?.[kind].length === 0 && <Text>Nothing</Text>}
          </Paper>
        ))}
      </SimpleGrid>
      <Section title="Transactions">
        <ObjectList<BalanceTransaction>
          path="balance_transactions"
          filters={FILTERS}
          columns={COLUMNS}
          label="Transactions of the balance"
          empty={<EmptyState title="Nothing has changed the balance yet" />}
        />
      </Section>
    </Page>
  );
}

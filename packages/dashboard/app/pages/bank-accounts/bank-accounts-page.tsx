import type { BankAccount } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { statusOf } from './bank-account-status.ts';

const COLUMNS: Columns<BankAccount> = [
  {
    header: 'Bank account',
    cell: ({ row: { original: account } }) => (
      <ObjectLink id={account.id} label={`${account.bank_name ?? 'Bank'} ••${account.last4}`} />
    ),
  },
  { header: 'ID', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={statusOf(row.original)} /> },
  { header: 'Currency', cell: ({ row }) => row.original.currency.toUpperCase() },
  { header: 'Default', cell: ({ row }) => (row.original.default_for_currency ? 'Yes' : 'No') },
  { header: 'Added', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function BankAccountsPage() {
  return (
    <Page title="Bank accounts" description="Where your payouts go.">
      <ObjectList<BankAccount>
        path="bank_accounts"
        columns={COLUMNS}
        label="Bank accounts"
        empty={
          <EmptyState title="There is no bank account">
            Your server adds one with the API: POST /v1/accounts/…/external_accounts
          </EmptyState>
        }
      />
    </Page>
  );
}

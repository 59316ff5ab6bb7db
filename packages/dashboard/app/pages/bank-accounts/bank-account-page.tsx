import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { BankAccount } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Metadata } from '../../ui/metadata.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { isHeld, statusOf } from './bank-account-status.ts';

const PARENT = { page: 'bank-accounts', label: 'Bank accounts' };

export function BankAccountPage() {
  return (
    <ObjectPage<BankAccount> title="Bank account" parent={PARENT} path="bank_accounts">
      {(account) => <ShownBankAccount account={account} />}
    </ObjectPage>
  );
}

function ShownBankAccount({ account }: { account: BankAccount }) {
  const [isOpen, setOpen] = useState(false);
  const mayConfirm = useMay('accounts.write') && isHeld(account);
  return (
    <Page
      title={`${account.bank_name ?? 'Bank account'} ••${account.last4}`}
      parent={PARENT}
      badge={<StatusBadge status={statusOf(account)} />}
      actions={mayConfirm && <Button onClick={() => setOpen(true)}>Confirm</Button>}
    >
      <Facts
        of={{
          ID: account.id,
          Currency: account.currency.toUpperCase(),
          Country: account.country,
          Holder: account.account_holder_name,
          'Default of its currency': account.default_for_currency ? 'Yes' : 'No',
          'Payouts held until': isHeld(account) && <Time at={account.payouts_held_until} exact />,
          Failure: account.failure_message,
          Added: <Time at={account.created} exact />,
        }}
      />
      <Metadata of={account.metadata} />
      <Section title="Content">
        <JsonView value={account} label="JSON of the bank account" />
      </Section>
      <Confirm account={account} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

interface ConfirmProps {
  readonly account: BankAccount;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Confirm({ account, isOpen, onClose }: ConfirmProps) {
  const { mutate, isPending, error } = useWrite(() => {
    sayDone('The bank account is confirmed.');
    onClose();
  });
  return (
    <ConfirmDialog
      title="Confirm this bank account?"
      action="Confirm"
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `bank_accounts/${account.id}/confirm` })}
      isBusy={isPending}
      error={error}
    >
      Payouts to the account that ends in {account.last4} are sent at once. If nobody of you has
      added it, or made it the default, do not confirm it: revoke your secret keys.
    </ConfirmDialog>
  );
}

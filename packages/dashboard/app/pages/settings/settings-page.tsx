import { Button, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useMay, usePlace } from '../../api/place.ts';
import type { Account } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { useWrite } from '../../api/use-write.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useDraft } from '../../use-draft.ts';
import { type AccountDraft, changesOf } from './account-draft.ts';
import { Billing } from './billing-form.tsx';

const ROLES = {
  owner: 'Owner: you may do everything',
  developer: 'Developer: you change things in test; in live you look and send events again',
  viewer: 'Viewer: you look',
} as const;

export function SettingsPage() {
  const { account } = usePlace();
  const mayWrite = useMay('accounts.write');
  const { data, error, refetch } = useObject<Account>(`accounts/${account.id}`);
  return (
    <Page title="Settings" description="The account, in test and in live.">
      <ErrorMessage error={error} retry={() => void refetch()} />
      {data && (
        <>
          <Facts
            of={{
              ID: data.id,
              Name: data.name,
              'E-mail for notices': data.email,
              Country: data.country,
              Currency: data.default_currency.toUpperCase(),
              Status: <StatusBadge status={data.status} />,
              Created: <Time at={data.created} exact />,
              'Your role': ROLES[account.role],
            }}
          />
          {mayWrite && (
            <Section title="Change the account">
              <AccountForm account={data} />
            </Section>
          )}
          <Billing />
        </>
      )}
    </Page>
  );
}

function AccountForm({ account }: { account: Account }) {
  const [draft, setDraft] = useDraft<AccountDraft>('account', {});
  const cache = useQueryClient();
  const { mutate, isPending, error } = useWrite<Account>(() => {
    setDraft({});
    sayDone('The account is changed.');
    // The menu names the account, too.
    void cache.invalidateQueries({ queryKey: ['session'] });
  });
  const changes = changesOf(draft, account);
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate({ path: `accounts/${account.id}`, body: changes });
  };
  return (
    <form onSubmit={save}>
      <Stack maw="28rem">
        <TextInput
          label="Name"
          required
          value={draft.name ?? account.name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <TextInput
          type="email"
          label="E-mail for notices"
          description="Leaked keys and failing endpoints are reported to it."
          value={draft.email ?? account.email ?? ''}
          onChange={(event) => setDraft({ ...draft, email: event.currentTarget.value })}
        />
        <ErrorMessage error={error} />
        <Button
          type="submit"
          loading={isPending}
          disabled={Object.keys(changes).length === 0}
          w="max-content"
        >
          Save
        </Button>
      </Stack>
    </form>
  );
}

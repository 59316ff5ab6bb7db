import { Button, Checkbox, NativeSelect, Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { useMay, usePlace } from '../../api/place.ts';
import type { BillingSettings } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { useWrite } from '../../api/use-write.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { useDraft } from '../../use-draft.ts';

type Draft = Partial<
  Pick<BillingSettings, 'after_last_attempt' | 'catch_up' | 'cancel_on_dispute'>
>;

const AFTER_LAST_ATTEMPT = {
  cancel: 'End the subscription',
  leave_unpaid: 'Leave it unpaid, and bill nothing more',
} as const;
const CATCH_UP = {
  bill_all: 'Charge each of them, the oldest first',
  bill_latest: 'Charge the newest; the others are void',
} as const;

/** How the subscriptions of the account are billed. */
export function Billing() {
  const { account } = usePlace();
  const mayWrite = useMay('billing.write');
  const path = `accounts/${account.id}/billing_settings`;
  const { data, error, refetch } = useObject<BillingSettings>(path);
  return (
    <Section title="Billing of subscriptions">
      <ErrorMessage error={error} retry={() => void refetch()} />
      {data && !mayWrite && (
        <Facts
          of={{
            'After the last attempt': AFTER_LAST_ATTEMPT[data.after_last_attempt],
            'Periods that were missed': CATCH_UP[data.catch_up],
            'A dispute that is lost': data.cancel_on_dispute
              ? 'ends the subscription'
              : 'does not end the subscription',
          }}
        />
      )}
      {data && mayWrite && <BillingForm path={path} settings={data} />}
    </Section>
  );
}

function BillingForm({ path, settings }: { path: string; settings: BillingSettings }) {
  const [draft, setDraft] = useDraft<Draft>('billing', {});
  const { mutate, isPending, error } = useWrite<BillingSettings>(() => {
    setDraft({});
    sayDone('The billing of subscriptions is changed.');
  });
  const shown = { ...settings, ...draft };
  const isChanged = Object.entries(draft).some(
    ([name, value]) => settings[name as keyof Draft] !== value,
  );
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate({ path, body: draft });
  };
  return (
    <form onSubmit={save}>
      <Stack maw="28rem">
        <NativeSelect
          label="After the last attempt to collect an invoice"
          data={Object.entries(AFTER_LAST_ATTEMPT).map(([value, label]) => ({ value, label }))}
          value={shown.after_last_attempt}
          onChange={({ currentTarget: { value } }) =>
            setDraft({ ...draft, after_last_attempt: value as keyof typeof AFTER_LAST_ATTEMPT })
          }
        />
        <NativeSelect
          label="If several periods were missed"
          data={Object.entries(CATCH_UP).map(([value, label]) => ({ value, label }))}
          value={shown.catch_up}
          onChange={({ currentTarget: { value } }) =>
            setDraft({ ...draft, catch_up: value as keyof typeof CATCH_UP })
          }
        />
        <Checkbox
          label="A dispute that is lost ends the subscription of the charge"
          checked={shown.cancel_on_dispute}
          onChange={({ currentTarget: { checked } }) =>
            setDraft({ ...draft, cancel_on_dispute: checked })
          }
        />
        <ErrorMessage error={error} />
        <Button type="submit" loading={isPending} disabled={!isChanged} w="max-content">
          Change the billing
        </Button>
      </Stack>
    </form>
  );
}

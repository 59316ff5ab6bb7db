import { NativeSelect, Stack, TextInput } from '@mantine/core';
import type { Charge, Refund } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatMoney, toDecimal, toMinor } from '../../ui/minor-units.ts';
import { sayDone } from '../../ui/say-done.ts';
import { useDraft } from '../../use-draft.ts';
import { REASONS } from '../refunds/refund-words.ts';

const CHOICES = [
  { value: '', label: 'Not given' },
  ...Object.entries(REASONS).map(([value, label]) => ({ value, label })),
];

interface RefundChargeProps {
  readonly charge: Charge;
  readonly onClose: () => void;
}

/** Asks how much goes back. It is open while it is shown. */
export function RefundCharge({ charge, onClose }: RefundChargeProps) {
  const { id, currency } = charge;
  const rest = charge.amount_captured - charge.amount_refunded;
  const start = { text: toDecimal(rest, currency), reason: '' };
  const [draft, setDraft] = useDraft(`refund-${id}`, start);
  const { text, reason } = draft;
  const { mutate, isPending, error } = useWrite<Refund>(({ amount, status }) => {
    sayDone(
      `The refund of ${formatMoney(amount, currency)} ${status === 'failed' ? 'failed' : 'was made'}.`,
    );
    onClose();
  });
  const amount = toMinor(text, currency);
  const isRight = amount !== undefined && amount > 0 && amount <= rest;
  const body = { amount, ...(reason !== '' && { reason }) };
  return (
    <ConfirmDialog
      title="Refund the charge"
      action={isRight ? `Refund ${formatMoney(amount, currency)}` : 'Refund'}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={() => mutate({ path: `charges/${id}/refunds`, body })}
      isBusy={isPending}
      missing={isRight ? undefined : 'Enter the amount.'}
      error={error}
    >
      <Stack gap="md">
        <TextInput
          label={`Amount (${currency.toUpperCase()})`}
          description={`At most ${formatMoney(rest, currency)}. It cannot be taken back.`}
          inputMode="decimal"
          required
          data-autofocus
          value={text}
          error={!isRight && text !== '' && `Enter an amount up to ${toDecimal(rest, currency)}`}
          onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
        />
        <NativeSelect
          label="Reason"
          data={CHOICES}
          value={reason}
          onChange={(event) => setDraft({ ...draft, reason: event.currentTarget.value })}
        />
      </Stack>
    </ConfirmDialog>
  );
}

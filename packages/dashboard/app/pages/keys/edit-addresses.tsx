import { Alert, Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { hasCode } from '../../api/problems.ts';
import type { IpSuggestions, Key } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countOf } from '../../ui/count-of.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { RangesField, toRanges } from './ranges-field.tsx';

/** Changes from where a key may be used; it warns before that stops something in use. */
export function EditAddresses({ apiKey: key, onClose }: { apiKey: Key; onClose: () => void }) {
  const [text, setText] = useState(key.allowed_ips?.join('\n') ?? '');
  const [isConfirmed, setConfirmed] = useState(false);
  const { mutate, isPending, error, reset } = useWrite<Key>(() => {
    sayDone('The addresses are changed.');
    onClose();
  });
  const ranges = toRanges(text);
  const change = (changed: string) => {
    setText(changed);
    // What the server said, and what was confirmed, is about the former list.
    setConfirmed(false);
    reset();
  };
  const locksOut = hasCode(error, 'ip_list_excludes_used_addresses');
  const body = {
    allowed_ips: ranges.length > 0 ? ranges : null,
    ...(isConfirmed && { confirm_lockout: true }),
  };
  return (
    <ConfirmDialog
      title="Allowed addresses"
      action="Save"
      isOpen
      onClose={onClose}
      onConfirm={() => mutate({ path: `keys/${key.id}`, body })}
      isBusy={isPending}
      missing={locksOut && !isConfirmed ? 'Confirm that these addresses are refused.' : undefined}
      error={locksOut ? null : error}
    >
      <RangesField value={text} onChange={change} />
      <Suggestions
        id={key.id}
        chosen={ranges}
        add={(range) => change([...ranges, range].join('\n'))}
      />
      {locksOut && (
        <Alert color="red" role="alert" mt="md" title="This stops something that is in use">
          {error.message}
          <Checkbox
            mt="sm"
            label="Refuse these addresses from now on"
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
        </Alert>
      )}
    </ConfirmDialog>
  );
}

interface SuggestionsProps {
  readonly id: string;
  readonly chosen: readonly string[];
  readonly add: (range: string) => void;
}

function Suggestions({ id, chosen, add }: SuggestionsProps) {
  const { data, error, refetch } = useObject<IpSuggestions>(`keys/${id}/ip_suggestions`);
  const seen = [
    ...(data?.addresses ?? []).map(({ address, requests }) => ({ range: address, requests })),
    ...(data?.ranges ?? []),
  ].filter(({ range }) => !chosen.includes(range));
  if (data === undefined) return <ErrorMessage error={error} retry={() => void refetch()} />;
  if (seen.length === 0) {
    return (
      <Text size="sm" c="dimmed" mt="sm">
        It was used from no other address in the last 30 days.
      </Text>
    );
  }
  return (
    <section aria-label="Addresses that used it">
      <Text size="sm" c="dimmed" mt="sm" mb="xs">
        Used in the last 30 days; press one to add it:
      </Text>
      <Group gap="xs">
        {seen.map(({ range, requests }) => (
          <Button key={range} size="compact-xs" variant="default" onClick={() => add(range)}>
            {range} ({countOf(requests, 'request')})
          </Button>
        ))}
      </Group>
    </section>
  );
}

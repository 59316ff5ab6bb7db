import { Text } from '@mantine/core';
import type { Key } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { Time } from '../../ui/time.tsx';

interface RevokeKeyProps {
  readonly apiKey: Key;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Ends a key, after it said what will stop. */
export function RevokeKey({ apiKey: key, isOpen, onClose }: RevokeKeyProps) {
  const { mutate, isPending, error } = useWrite<Key>(() => {
    sayDone('The key is revoked.');
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Revoke ${key.name}?`}
      action="Revoke the key"
      isDangerous
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `keys/${key.id}/revoke`, body: { reason: 'owner' } })}
      isBusy={isPending}
      error={error}
    >
      <Text size="sm" mb="md">
        Every request with this key is refused within a second. You cannot undo this.
      </Text>
      <Text size="sm" fw={600} mb="xs">
        {key.safe_to_revoke ? 'It seems unused' : 'What uses it will stop working'}
      </Text>
      <Facts
        of={{
          'Last used': <Time at={key.last_used_at} />,
          From: key.last_used_ip,
          By: key.last_used_user_agent,
          'Requests in 24 hours': key.requests_24h.toLocaleString('en'),
        }}
      />
      <Text size="sm" c="dimmed" mt="xs">
        Use of the last 10 seconds is not counted yet.
      </Text>
    </ConfirmDialog>
  );
}

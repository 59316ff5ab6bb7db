import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { Endpoint } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

const OVERLAPS = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

interface RotateSecretProps {
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a new signing secret; for a time deliveries are signed with both. */
export function RotateSecret({ endpoint, isOpen, onClose }: RotateSecretProps) {
  const [overlap, setOverlap] = useState('86400');
  const [secret, setSecret] = useState<string>();
  const { mutate, isPending, error } = useWrite<Endpoint>((rotated) => {
    onClose();
    setSecret(rotated.secret);
    sayDone('Deliveries are signed with both secrets now.');
  });
  return (
    <>
      <ConfirmDialog
        title="Rotate the signing secret?"
        action="Create the new secret"
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={() =>
          mutate({
            path: `endpoints/${endpoint.id}/rotate_secret`,
            body: { overlap_seconds: Number(overlap) },
          })
        }
        isBusy={isPending}
        error={error}
      >
        <Text size="sm" mb="md">
          Deliveries carry a signature of each secret. Put the new one on your server before the old
          one ends.
        </Text>
        <NativeSelect
          label="Sign with the old secret, too, for"
          data={OVERLAPS}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
        />
      </ConfirmDialog>
      <SecretDialog
        title="The new signing secret"
        label="Signing secret"
        again="Deliveries are signed with it. You find it again on the page of the endpoint."
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

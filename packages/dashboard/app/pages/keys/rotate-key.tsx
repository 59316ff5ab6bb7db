import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { Key } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { useGo } from '../../use-go.ts';

const OVERLAPS = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '', label: 'Until I revoke it' },
];

interface RotateKeyProps {
  readonly apiKey: Key;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes the successor of a key; both work for a time. */
export function RotateKey({ apiKey: key, isOpen, onClose }: RotateKeyProps) {
  const [overlap, setOverlap] = useState('86400');
  const [secret, setSecret] = useState<string>();
  const go = useGo();
  const { mutate, isPending, error } = useWrite<Key>((successor) => {
    onClose();
    // A publishable key stays visible: there is nothing to store.
    if (successor.type === 'publishable') go(`keys/${successor.id}`);
    else setSecret(successor.secret);
    sayDone('Both keys work now.');
  });
  const body = overlap === '' ? {} : { overlap_seconds: Number(overlap) };
  return (
    <>
      <ConfirmDialog
        title={`Rotate ${key.name}?`}
        action="Rotate the key"
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={() => mutate({ path: `keys/${key.id}/rotate`, body })}
        isBusy={isPending}
        error={error}
      >
        <Text size="sm" mb="md">
          You get a new key that may do the same. Put it on your server while the old one still
          works.
        </Text>
        <NativeSelect
          label="The old key works for"
          data={OVERLAPS}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
        />
      </ConfirmDialog>
      <SecretDialog
        title="The new key"
        label="Key"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

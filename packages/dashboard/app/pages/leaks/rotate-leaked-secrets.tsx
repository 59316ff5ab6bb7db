import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { Endpoint, Leak } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

interface Rotated {
  readonly data: readonly Endpoint[];
}

/** Makes new signing secrets for all endpoints that a leak concerns, and shows them once. */
export function RotateLeakedSecrets({ leak }: { leak: Leak }) {
  const [isOpen, setOpen] = useState(false);
  const [rotated, setRotated] = useState<readonly Endpoint[]>();
  const { mutate, isPending, error } = useWrite<Rotated>(({ data }) => {
    setOpen(false);
    setRotated(data);
  });
  return (
    <>
      <Button mt="md" variant="default" onClick={() => setOpen(true)}>
        Rotate all of them
      </Button>
      <ConfirmDialog
        title="Rotate the signing secrets?"
        action="Rotate them"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => mutate({ path: `leaks/${leak.id}/rotate_signing_secrets` })}
        isBusy={isPending}
        error={error}
      >
        For a day deliveries are signed with the old secrets, too. You see each new one once.
      </ConfirmDialog>
      <Modal
        opened={rotated !== undefined}
        onClose={() => setRotated(undefined)}
        title="The new signing secrets"
        closeOnClickOutside={false}
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': 'I have stored them' }}
      >
        <Text size="sm">Copy them now: they are shown only this once.</Text>
        {rotated?.map(({ id, url, secret }) => (
          <CodeBlock key={id} text={secret ?? ''} label={url} mt="md" />
        ))}
      </Modal>
    </>
  );
}

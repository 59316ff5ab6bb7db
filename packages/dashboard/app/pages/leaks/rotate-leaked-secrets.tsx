import { Alert, Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { Endpoint, Leak } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { useFocusBack } from '../../ui/use-focus-back.ts';

interface Rotated {
  readonly data: readonly Endpoint[];
  readonly skipped: readonly { readonly endpoint: string }[];
}

interface RotateLeakedSecretsProps {
  readonly leak: Leak;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * Makes new signing secrets for all endpoints that a leak concerns, and shows them. Keep it on the
 * page when no endpoint is left to rotate: that is so as soon as the new secrets are there.
 */
export function RotateLeakedSecrets({ leak, isOpen, onClose }: RotateLeakedSecretsProps) {
  const [rotated, setRotated] = useState<Rotated>();
  const { mutate, isPending, error } = useWrite<Rotated>((answer) => {
    onClose();
    setRotated(answer);
  });
  return (
    <>
      <ConfirmDialog
        title="Rotate the signing secrets?"
        action="Rotate them"
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={() => mutate({ path: `leaks/${leak.id}/rotate_signing_secrets` })}
        isBusy={isPending}
        error={error}
      >
        For a day deliveries are signed with the old secrets, too.
      </ConfirmDialog>
      <NewSecrets rotated={rotated} onClose={() => setRotated(undefined)} />
    </>
  );
}

interface NewSecretsProps {
  /** The dialog is open while there are some. */
  readonly rotated: Rotated | undefined;
  readonly onClose: () => void;
}

/** It closes only with its button, so that a stray click loses nothing. */
function NewSecrets({ rotated, onClose }: NewSecretsProps) {
  useFocusBack(rotated !== undefined);
  const { data = [], skipped = [] } = rotated ?? {};
  return (
    <Modal
      opened={rotated !== undefined}
      onClose={onClose}
      title="The new signing secrets"
      returnFocus={false}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {data.length > 0 && (
        <Text size="sm">
          Put them on your servers within a day. You can see each of them again on the page of its
          endpoint.
        </Text>
      )}
      {data.map(({ id, url, secret }) => (
        <CodeBlock key={id} text={secret ?? ''} label={url} mt="md" />
      ))}
      {skipped.length > 0 && (
        <Alert color="yellow" role="alert" mt="md" title="Not rotated">
          These endpoints have as many secrets as they can. Rotate again when the oldest has ended:
          {skipped.map(({ endpoint }) => (
            <div key={endpoint}>
              <ObjectLink id={endpoint} />
            </div>
          ))}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>{data.length > 0 ? 'I have stored them' : 'Close'}</Button>
      </Group>
    </Modal>
  );
}

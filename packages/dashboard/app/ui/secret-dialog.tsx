import { Alert, Button, Group, Modal } from '@mantine/core';
import { CodeBlock } from './code-block.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  /** The dialog is open while there is one. */
  readonly secret: string | undefined;
  /** Where it can be read again. @defaultValue nowhere */
  readonly again?: string;
  readonly onClose: () => void;
}

/** Shows a new secret. It closes only with its button, so that a stray click loses nothing. */
export function SecretDialog({ title, label, secret, again, onClose }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Alert color="yellow" title="Copy it now">
        {again ?? 'It is shown only this once.'} Keep it in the secret store of your server, and
        never in the code of a page or app.
      </Alert>
      <CodeBlock text={secret ?? ''} label={label} mt="md" />
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>I have stored it</Button>
      </Group>
    </Modal>
  );
}

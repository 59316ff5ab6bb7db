import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorMessage } from './error-message.tsx';
import { useFocusBack } from './use-focus-back.ts';

interface ConfirmDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What the button does, as a verb. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly isDangerous?: boolean;
  /** Whether it is being done: then the dialog stays open. */
  readonly isBusy?: boolean;
  /** What must be entered before it can be done, as a sentence. */
  readonly missing?: string | undefined;
  readonly error?: Error | null;
  readonly children: ReactNode;
}

/** Asks before something is done, or for what it needs. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, onClose, action, onConfirm, isDangerous = false, children } = props;
  const { isBusy = false } = props;
  useFocusBack(isOpen);
  return (
    <Modal
      opened={isOpen}
      // While it runs it cannot be taken back, and its answer is shown here.
      onClose={isBusy ? () => undefined : onClose}
      title={title}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': 'Close', disabled: isBusy }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        {children}
        <ErrorMessage error={props.error} />
        <Group justify="flex-end" mt="lg">
          <Text size="sm" c="dimmed" role="status" flex={1}>
            {props.missing}
          </Text>
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={props.missing !== undefined}
            {...(isDangerous && { color: 'red.8' })}
          >
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

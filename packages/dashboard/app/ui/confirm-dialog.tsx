import { Button, Group, Modal } from '@mantine/core';
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
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly error?: Error | null;
  readonly children: ReactNode;
}

/** Asks before something is done, or for what it needs. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, onClose, action, onConfirm, isDangerous = false, children } = props;
  useFocusBack(isOpen);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
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
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={props.isBusy ?? false}
            disabled={props.isDisabled ?? false}
            {...(isDangerous && { color: 'red.8' })}
          >
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

import { notifications } from '@mantine/notifications';

/** Says that something was done; screen readers read it aloud. */
export function sayDone(message: string): void {
  notifications.show({ message, color: 'teal', closeButtonProps: { 'aria-label': 'Close' } });
}

import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for screen readers. */
  readonly what: string;
}

/** Copies a text. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 });
  const label = error ? 'Select and copy it' : copied ? 'Copied' : 'Copy';
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={label === 'Copy' ? `Copy ${what}` : label}
      onClick={() => copy(text)}
    >
      <span aria-live="polite">{label}</span>
    </Button>
  );
}

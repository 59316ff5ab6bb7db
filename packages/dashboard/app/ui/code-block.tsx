import { Box, type BoxProps, Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './ui.module.css';

interface CodeBlockProps extends BoxProps {
  readonly text: string;
  readonly label: string;
}

/** A text as it is, with a button that copies it. */
export function CodeBlock({ text, label, ...box }: CodeBlockProps) {
  return (
    <Box {...box}>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyButton text={text} what={label} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard */}
      <section className={classes['code']} tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </Box>
  );
}

import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import classes from './ui.module.css';

interface EmptyStateProps {
  readonly title: string;
  /** A command that makes the first one. */
  readonly command?: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** What to do where nothing is yet. */
export function EmptyState({ title, command, action, children }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" maw="36rem" mx="auto" mt="xs">
          {children}
        </Text>
      )}
      {command !== undefined && (
        <CodeBlock text={command} label="Command" mt="md" maw="44rem" mx="auto" />
      )}
      {action && <Text mt="md">{action}</Text>}
    </div>
  );
}

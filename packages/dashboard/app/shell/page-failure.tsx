import { Button, Container, Text, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';

/** The program of a page failed. A page that was built anew meanwhile is loaded by this, too. */
export function PageFailure({ error }: ErrorComponentProps) {
  return (
    <Container component="section" py="xl" size="sm" role="alert">
      <Title order={1}>This page stopped working</Title>
      <Text my="md">Load it again. If it happens again, tell whoever runs this service.</Text>
      <Button onClick={() => window.location.reload()}>Load again</Button>
      <Text mt="md" size="sm" c="dimmed">
        {error instanceof Error ? error.message : 'Unknown error'}
      </Text>
    </Container>
  );
}

import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { RefusedError, UnreachableError } from '../api/problems.ts';
import { loginAddress } from '../mount.ts';

interface ErrorMessageProps {
  readonly error: Error | null | undefined;
  readonly retry?: () => void;
}

/** What went wrong, in the words of the server, and what to do next. */
export function ErrorMessage({ error, retry }: ErrorMessageProps) {
  if (!error) return null;
  if (error instanceof RefusedError && error.code === 'insufficient_user_authentication') {
    return (
      <Alert color="yellow" role="alert" title="Log in again first" mt="md">
        This action needs a fresh login. Log in again, and you come back to this page.
        <Group mt="sm">
          <Anchor href={loginAddress('reauthenticate')}>Log in again</Anchor>
        </Group>
      </Alert>
    );
  }
  return (
    <Alert color="red" role="alert" title={titleOf(error)} mt="md">
      <Text size="sm">{errorText(error)}</Text>
      {error instanceof RefusedError && error.refusal.request_id !== undefined && (
        <Text size="xs" mt="xs">
          Request {error.refusal.request_id}
        </Text>
      )}
      {retry && (
        <Button mt="sm" size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

function titleOf(error: Error): string {
  if (error instanceof UnreachableError) return 'The server does not answer';
  if (!(error instanceof RefusedError)) return 'This page stopped working';
  if (error.code === 'permission_denied') return 'Your role does not permit this';
  if (error.status === 404) return 'There is no such object here';
  if (error.status === 429) return 'Too many requests: wait a moment';
  return error.status >= 500 ? 'The server could not do this' : 'This was not accepted';
}

/** What went wrong, in a sentence. */
export function errorText(error: Error): string {
  if (!(error instanceof UnreachableError)) return error.message;
  return error.mayBeDone
    ? 'It may have been done: look before you try again.'
    : 'Wait a moment, and try again.';
}

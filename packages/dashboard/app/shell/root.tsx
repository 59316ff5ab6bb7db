import { Center, Loader } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useSession } from '../api/session.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { ServerBanner } from './server-banner.tsx';

/** Waits until it is known who is signed in; without a session, the browser goes to the login. */
export function Root() {
  const { data, error, refetch } = useSession();
  return (
    <>
      <ServerBanner />
      {data ? (
        <Outlet />
      ) : (
        <Center component="main" mih="60vh" p="md">
          {error ? (
            <ErrorMessage error={error} retry={() => void refetch()} />
          ) : (
            <Loader aria-label="Loading" />
          )}
        </Center>
      )}
    </>
  );
}

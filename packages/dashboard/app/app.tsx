import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { isPassing, RefusedError } from './api/problems.ts';
import { useSession } from './api/session.ts';
import { STYLE_NONCE } from './mount.ts';
import { router } from './router.tsx';
import { themeFor, variables } from './theme.ts';

const TRIES = 3;
const schemeManager = localStorageColorSchemeManager({ key: 'paymount-color-scheme' });

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      retry: (failures, error) => failures < TRIES && isPassing(error),
      retryDelay: (failures, error) =>
        Math.max(500 * 2 ** failures, error instanceof RefusedError ? error.waitMs : 0),
    },
    mutations: { networkMode: 'always' },
  },
});

export function App() {
  return (
    <QueryClientProvider client={cache}>
      <Themed />
    </QueryClientProvider>
  );
}

function Themed() {
  const { data: session } = useSession();
  return (
    <MantineProvider
      theme={themeFor(session?.appearance.color)}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      colorSchemeManager={schemeManager}
      getStyleNonce={() => STYLE_NONCE}
    >
      <Notifications position="bottom-right" limit={3} />
      <RouterProvider router={router} />
    </MantineProvider>
  );
}

import { Navigate } from '@tanstack/react-router';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';

/** The address of the mount itself: opens the first account, in test. */
export function FirstPlace() {
  const { data: session } = useSession();
  const account = session?.accounts[0];
  if (session === undefined) return null;
  if (account === undefined) {
    return (
      <main>
        <EmptyState title="You have no account yet">
          Ask an owner of the account to add you, then load this page again.
        </EmptyState>
      </main>
    );
  }
  const environment = session.environments.includes('test') ? 'test' : 'live';
  return <Navigate to={`/${account.id}/${environment}`} replace />;
}

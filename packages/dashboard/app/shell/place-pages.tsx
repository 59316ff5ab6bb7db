import { Outlet } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { PlaceContext } from '../api/place.ts';
import { useSession } from '../api/session.ts';
import { usePath } from '../use-path.ts';
import { noteLastPlace } from './last-place.ts';
import { PageMissing } from './page-missing.tsx';
import { Shell } from './shell.tsx';

/** The pages of the account and environment that the address names. */
export function PlacePages() {
  const { account: accountId, environment: named } = usePath();
  const { data: session } = useSession();
  const account = session?.accounts.find(({ id }) => id === accountId);
  const environment = session?.environments.find((each) => each === named);
  const permissions = account && environment && session?.permissions[account.role]?.[environment];
  const place = useMemo(
    () =>
      permissions && {
        account,
        environment,
        permissions,
        path: `/${account.id}/${environment}`,
      },
    [account, environment, permissions],
  );
  useEffect(() => {
    if (place !== undefined) noteLastPlace(place.path);
  }, [place]);
  if (session === undefined || place === undefined) return <PageMissing />;
  return (
    <PlaceContext value={place}>
      {/* Another account or environment begins afresh: nothing of the former one stays. */}
      <Shell key={place.path} session={session}>
        <Outlet />
      </Shell>
    </PlaceContext>
  );
}

import { AppShell, Box, Button, NativeSelect, NavLink, Text } from '@mantine/core';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { usePlace } from '../api/place.ts';
import type { Session } from '../api/resources.ts';
import { FindById } from './find-by-id.tsx';
import classes from './shell.module.css';

interface Entry {
  readonly page: string;
  readonly label: string;
  /** Without it, the entry is not shown. */
  readonly permission?: string;
}

const ENTRIES: readonly Entry[] = [
  { page: '', label: 'Home' },
  { page: 'charges', label: 'Charges', permission: 'charges.read' },
  { page: 'refunds', label: 'Refunds', permission: 'charges.read' },
  { page: 'balance', label: 'Balance', permission: 'balance.read' },
  { page: 'bank-accounts', label: 'Bank accounts', permission: 'payouts.read' },
  { page: 'keys', label: 'API keys', permission: 'keys.read' },
  { page: 'endpoints', label: 'Webhooks', permission: 'endpoints.read' },
  { page: 'deliveries', label: 'Deliveries', permission: 'deliveries.read' },
  { page: 'events', label: 'Events', permission: 'deliveries.read' },
  { page: 'replays', label: 'Replays', permission: 'deliveries.read' },
  { page: 'applications', label: 'Connected applications', permission: 'grants.read' },
  { page: 'leaks', label: 'Leaks', permission: 'leaks.read' },
  { page: 'audit', label: 'Audit log', permission: 'audit.read' },
  { page: 'settings', label: 'Settings', permission: 'accounts.read' },
];

interface NavigationProps {
  readonly session: Session;
  /** Whether it is open on a phone; on a wide screen it always is. */
  readonly isOpen: boolean;
}

/** The account, the environment, and the pages. */
export function Navigation({ session, isOpen }: NavigationProps) {
  const { permissions, path } = usePlace();
  const entries = ENTRIES.filter(
    ({ permission }) => permission === undefined || permissions.includes(permission),
  );
  return (
    <AppShell.Navbar
      p="sm"
      className={classes['pages'] ?? ''}
      data-open={isOpen || undefined}
      aria-label="Pages"
    >
      <PlaceSelects session={session} />
      <Box hiddenFrom="sm" mb="sm">
        <FindById />
      </Box>
      {entries.map(({ page, label }) => (
        <NavLink
          key={page}
          component={Link}
          label={label}
          to={page === '' ? path : `${path}/${page}`}
          activeOptions={{ exact: page === '', includeSearch: false }}
          activeProps={{ 'data-active': true }}
        />
      ))}
      {session.api_reference && <NavLink component={Link} label="API reference" to="/docs" />}
      <Text size="xs" c="dimmed" mt="md" px="sm" hiddenFrom="lg">
        {session.user.display_name}
      </Text>
    </AppShell.Navbar>
  );
}

const ENVIRONMENTS = [
  { name: 'test', label: 'Test', color: 'orange.5' },
  { name: 'live', label: 'Live', color: 'gray' },
] as const;

function PlaceSelects({ session }: { session: Session }) {
  const { account, environment } = usePlace();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  // The list stays; an object is in one account and environment only.
  const list = pathname.split('/')[3] ?? '';
  return (
    <Box mb="sm">
      <NativeSelect
        label="Account"
        description="Opens when you choose it."
        data={session.accounts.map(({ id, name }) => ({ value: id, label: name }))}
        value={account.id}
        onChange={(event) =>
          void navigate({ to: `/${event.currentTarget.value}/${environment}/${list}` })
        }
      />
      {session.environments.length > 1 && (
        <Button.Group mt="xs" aria-label="Environment">
          {ENVIRONMENTS.map(({ name, label, color }) => (
            <Button
              key={name}
              component={Link}
              to={`/${account.id}/${name}/${list}`}
              fullWidth
              size="xs"
              autoContrast
              variant={name === environment ? 'filled' : 'default'}
              color={color}
            >
              {label}
            </Button>
          ))}
        </Button.Group>
      )}
    </Box>
  );
}

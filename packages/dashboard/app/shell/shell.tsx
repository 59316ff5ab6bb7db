import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useEffect } from 'react';
import { usePlace } from '../api/place.ts';
import type { Session } from '../api/resources.ts';
import { EnvironmentBadge } from './environment-badge.tsx';
import { FindById } from './find-by-id.tsx';
import { Navigation } from './navigation.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import classes from './shell.module.css';

const MAIN = 'main';

/** What surrounds every page of an account. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const { environment } = usePlace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone, a new page closes the menu
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className={classes['skip']} href={`#${MAIN}`} onClick={skipToMain}>
        Skip to the content
      </a>
      <AppShell.Header className={classes['header'] ?? ''} data-environment={environment}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="md"
            size="sm"
            aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            aria-expanded={isOpen}
          />
          <Brand {...session.appearance} />
          <EnvironmentBadge />
          <FindById visibleFrom="sm" />
          <Group ml="auto" gap="sm" wrap="nowrap">
            <Text size="sm" c="dimmed" visibleFrom="lg" className={classes['user']}>
              {session.user.display_name}
            </Text>
            <SchemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <Navigation session={session} isOpen={isOpen} />
      <AppShell.Main id={MAIN} tabIndex={-1} className={classes['main']}>
        <div className={classes['page']}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

function Brand({ name, logo_url: logo }: Session['appearance']) {
  return (
    <Group gap="xs" wrap="nowrap" className={classes['brand']}>
      {logo !== null && <img src={logo} alt="" className={classes['logo']} />}
      <Text fw={600} truncate>
        {name ?? 'Dashboard'}
      </Text>
    </Group>
  );
}

/** The base of addresses is the mount, so that the browser would leave the page for `#main`. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById(MAIN)?.focus();
}

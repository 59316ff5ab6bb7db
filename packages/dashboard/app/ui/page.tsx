import { Group, Text, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { usePlace } from '../api/place.ts';
import { useSession } from '../api/session.ts';
import { focusHeading } from './focus-heading.ts';
import { PageLink } from './page-link.tsx';
import classes from './ui.module.css';

interface PageProps {
  readonly title: string;
  /** The list that this page belongs to. */
  readonly parent?: { readonly page: string; readonly label: string };
  readonly description?: ReactNode;
  /** Beside the title: its status. */
  readonly badge?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its heading gets the focus when it is opened, so that screen readers begin there. */
export function Page({ title, parent, description, badge, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { environment } = usePlace();
  const { data: session } = useSession();
  const product = session?.appearance.name ?? 'Dashboard';
  const { pathname } = useLocation();
  useEffect(() => focusHeading(heading.current, pathname), [pathname]);
  useEffect(() => {
    document.title = `${title} · ${environment === 'test' ? 'Test · ' : ''}${product}`;
  }, [title, environment, product]);
  return (
    <>
      {parent && <PageLink page={parent.page}>{parent.label}</PageLink>}
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <div className={classes['heading']}>
          <Group gap="sm">
            <Title order={1} size="h2" ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {badge}
          </Group>
          {description && (
            <Text c="dimmed" size="sm" maw="46rem">
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </>
  );
}

/** A part of a page. */
export function Section(props: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={classes['section']} aria-label={props.title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {props.title}
        </Title>
        {props.actions}
      </Group>
      {props.children}
    </section>
  );
}

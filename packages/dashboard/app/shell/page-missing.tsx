import { Anchor, Container, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../api/session.ts';
import { lastPlace } from './last-place.ts';

/** There is no page at this address. */
export function PageMissing() {
  const { data: session } = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = 'There is no such page';
    heading.current?.focus();
  }, []);
  return (
    <Container component="section" py="xl" size="sm">
      <Title order={1} ref={heading} tabIndex={-1}>
        There is no such page
      </Title>
      <Text my="md">
        The address may be misspelled, or belong to an account that you are not a member of.
      </Text>
      <Anchor component={Link} to={lastPlace(session)}>
        Go to the start page
      </Anchor>
    </Container>
  );
}

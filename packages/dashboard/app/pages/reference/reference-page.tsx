import { Anchor, Container, PasswordInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { lastPlace } from '../../shell/last-place.ts';
import { PageMissing } from '../../shell/page-missing.tsx';
import { ApiViewer } from './api-viewer.tsx';
import { isTestKey } from './test-key.ts';

/** The routes of the API, from its OpenAPI document. */
export function ReferencePage() {
  const { data: session } = useSession();
  const [key, setKey] = useState('');
  const reference = session?.api_reference;
  if (!reference) return <PageMissing />;
  return (
    <Container component="main" size="lg" py="md">
      <Anchor component={Link} to={lastPlace(session)} size="sm">
        Dashboard
      </Anchor>
      <Heading />
      {reference.can_try && <KeyField value={key} onChange={setKey} />}
      {/* A live key, or what only looks like a key, never leaves the page. */}
      <ApiViewer canTry={reference.can_try} apiKey={isTestKey(key) ? key : ''} />
    </Container>
  );
}

function Heading() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = 'API reference';
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Title order={1} size="h2" ref={heading} tabIndex={-1}>
      API reference
    </Title>
  );
}

function KeyField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const isRight = value === '' || isTestKey(value);
  return (
    <PasswordInput
      label="Test key"
      description="“Try it out” sends requests with this key, which act on your test data. The page forgets it when you leave."
      placeholder="sk_test_…"
      autoComplete="off"
      maw="30rem"
      my="md"
      value={value}
      error={
        isRight
          ? undefined
          : 'This is not a test key. Requests go without it. Test keys begin with sk_test_, rk_test_ or pk_test_.'
      }
      onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  );
}

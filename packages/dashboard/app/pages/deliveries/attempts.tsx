import { Accordion, Box, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Attempt, Delivery } from '../../api/resources.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonText } from '../../ui/json-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { failureCure, failureName } from './failures.ts';
import { Waterfall } from './waterfall.tsx';

/** Every attempt of a delivery, the newest first. Each opens when it becomes the newest. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const attempts = delivery.attempts ?? [];
  const newest = attempts[0]?.id;
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [formerNewest, setFormerNewest] = useState<string>();
  if (newest !== formerNewest) {
    setFormerNewest(newest);
    setOpened((ids) => [...ids, ...(newest === undefined ? [] : [newest])]);
  }
  if (newest === undefined) {
    return <Text size="sm">There was no attempt yet, or its log is older than 30 days.</Text>;
  }
  return (
    <Accordion multiple value={[...opened]} onChange={setOpened} variant="separated" order={3}>
      {attempts.map((attempt) => (
        <Accordion.Item key={attempt.id} value={attempt.id}>
          <Accordion.Control>
            <Group gap="sm">
              <Text fw={600}>Attempt {attempt.attempt}</Text>
              <StatusBadge status={attempt.outcome} label={answerOf(attempt)} />
              <Text size="sm" c="dimmed">
                <Time at={attempt.started_at} exact />, {attempt.duration_ms} ms
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <ShownAttempt attempt={attempt} delivery={delivery} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function answerOf({ response_status: status, error_code: error, outcome }: Attempt): string {
  return status?.toString() ?? (error === null ? outcome : failureName(error));
}

function ShownAttempt({ attempt, delivery }: { attempt: Attempt; delivery: Delivery }) {
  return (
    <>
      <Facts
        of={{
          Problem: failureCure(attempt.error_code),
          Detail: attempt.error_detail,
          Address: attempt.url,
          'IP address': attempt.remote_address,
          Connection: attempt.reused_connection && 'One that was open already',
        }}
      />
      <Waterfall attempt={attempt} />
      <SimpleGrid cols={{ base: 1, md: 2 }} mt="md">
        <div>
          <Title order={4} size="h5" mb="xs">
            Request
          </Title>
          <CodeBlock text={headersText(attempt.request_headers)} label="Headers of the request" />
          <Box mt="sm">
            <RequestBody delivery={delivery} />
          </Box>
        </div>
        <div>
          <Title order={4} size="h5" mb="xs">
            Response
          </Title>
          <Response attempt={attempt} />
        </div>
      </SimpleGrid>
    </>
  );
}

/** What every attempt of a delivery sends. */
export function RequestBody({ delivery: { request_body: body } }: { delivery: Delivery }) {
  if (!body) return <Text size="sm">The event is not stored any more.</Text>;
  return <JsonText text={body} label="Body of the request" />;
}

function Response({ attempt }: { attempt: Attempt }) {
  if (attempt.response_status === null) return <Text size="sm">There was no response.</Text>;
  const { response_body: body, response_body_base64: bytes } = attempt;
  return (
    <>
      <CodeBlock
        text={`${attempt.response_status}\n${headersText(attempt.response_headers)}`}
        label="Headers of the response"
      />
      {body !== null && body !== '' && (
        <Box mt="sm">
          <JsonText text={body} label="Body of the response" />
        </Box>
      )}
      {bytes !== null && <CodeBlock text={bytes} label="Body in base64 (not text)" mt="sm" />}
      {attempt.response_truncated && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the first 16 KiB are stored, or the body did not end in time.
        </Text>
      )}
    </>
  );
}

function headersText(headers: Readonly<Record<string, string | string[]>> | null): string {
  if (headers === null) return 'They are not stored.';
  return Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`))
    .join('\n');
}

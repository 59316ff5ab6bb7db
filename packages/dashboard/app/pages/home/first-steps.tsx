import { List, Paper, Title } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Endpoint, Page, StoredEvent } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { PageLink } from '../../ui/page-link.tsx';
import { NEWEST_EVENTS } from './recent-events.tsx';
import { useKeysThatMayWork } from './use-keys-that-may-work.ts';

/** What a new account does first; it disappears when all is done. */
export function FirstSteps() {
  const mayWrite = useMay('keys.write');
  const mayTrigger = useMay('events.trigger');
  const { data: keys } = useKeysThatMayWork();
  const endpoints = useObject<Page<Endpoint>>('endpoints', { limit: 1 });
  const { data: events } = useObject<Page<StoredEvent>>('events', NEWEST_EVENTS);
  const lacksKey = keys?.isWhole && !keys.items.some(({ status }) => status === 'active');
  const lacksEndpoint = endpoints.data?.data.length === 0;
  const lacksEvent = mayTrigger && events?.data.length === 0;
  if (!mayWrite || !(lacksKey || lacksEndpoint || lacksEvent)) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        Your next steps
      </Title>
      <List type="ordered" size="sm" spacing="sm">
        {lacksKey && (
          <List.Item>
            <PageLink page="keys" search={{ create: '1' }} isInText>
              Create a key
            </PageLink>{' '}
            for your server, and give it to your programs:
            <CodeBlock text="export PAYMOUNT_API_KEY=…" label="Set the key" mt="xs" />
          </List.Item>
        )}
        {lacksEndpoint && (
          <List.Item>
            <PageLink page="endpoints" search={{ create: '1' }} isInText>
              Add an endpoint
            </PageLink>
            , the address of your server that gets events. Or forward them to your machine:
            <CodeBlock
              text="npx @paymount/cli listen --forward-to http://localhost:3000/webhooks"
              label="Forward events"
              mt="xs"
            />
          </List.Item>
        )}
        {lacksEvent && (
          <List.Item>
            <PageLink page="events" search={{ create: '1' }} isInText>
              Make a test event
            </PageLink>
            , and see it arrive. Or with a test key on your machine:
            <CodeBlock
              text="npx @paymount/cli trigger charge.succeeded"
              label="Make an event"
              mt="xs"
            />
          </List.Item>
        )}
      </List>
    </Paper>
  );
}

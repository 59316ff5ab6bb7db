import { List, Text } from '@mantine/core';
import type { DeliverySummary, Endpoint, Page } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { countOf } from '../../ui/count-of.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Time } from '../../ui/time.tsx';
import { failureName } from '../deliveries/failures.ts';

const EVERY_MS = 30_000;
/** Attempts are counted some seconds after they were made. */
const NOT_COUNTED = '. Open it to see what its server answers.';

/** Endpoints whose deliveries fail, and what their servers answer. */
export function FailingEndpoints() {
  const { data, error } = useObject<Page<Endpoint>>(
    'endpoints',
    { failing: true, limit: 10 },
    { every: EVERY_MS },
  );
  const { data: summary } = useObject<DeliverySummary>('deliveries/summary', { interval: 'hour' });
  if (error) return <ErrorMessage error={error} />;
  if (data?.data.length === 0) {
    return <Text size="sm">No endpoint fails.</Text>;
  }
  return (
    <List size="sm" spacing="xs">
      {data?.data.map((endpoint) => (
        <List.Item key={endpoint.id}>
          <ObjectLink id={endpoint.id} label={endpoint.url} />
          <br />
          {endpoint.status === 'disabled' ? 'Disabled. Failing since ' : 'Failing since '}
          <Time at={endpoint.failing_since} />
          {reasonOf(endpoint.id, summary)}
        </List.Item>
      ))}
    </List>
  );
}

/** What the attempts of the last 24 hours got, the most frequent first. */
function reasonOf(id: string, summary: DeliverySummary | undefined): string {
  const counts = summary?.endpoints.find(({ endpoint }) => endpoint === id);
  if (counts === undefined) return NOT_COUNTED;
  const { '2xx': _, ...refused } = counts.status_classes;
  const reasons = Object.entries({ ...refused, ...withoutStatus(counts.errors) })
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${reasonName(name)} (${countOf(count, 'attempt')})`);
  return reasons.length === 0 ? NOT_COUNTED : `: ${reasons.join(', ')}`;
}

function reasonName(name: string): string {
  return /^\dxx$/.test(name) ? `status ${name}` : failureName(name).toLowerCase();
}

/** The class of a status says more than that it was not 2xx. */
function withoutStatus({ http_status: _, ...errors }: Readonly<Record<string, number>>) {
  return errors;
}

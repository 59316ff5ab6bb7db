import { Button, Text } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Delivery } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { Attempts, RequestBody } from './attempts.tsx';
import { whyNotResent } from './why-not-resent.ts';

const PARENT = { page: 'deliveries', label: 'Deliveries' };
const EVERY_MS = 3_000;

export function DeliveryPage() {
  return (
    <ObjectPage<Delivery>
      title="Delivery"
      parent={PARENT}
      every={(delivery) => (delivery?.status === 'pending' ? EVERY_MS : false)}
    >
      {(delivery) => <ShownDelivery delivery={delivery} />}
    </ObjectPage>
  );
}

function ShownDelivery({ delivery }: { delivery: Delivery }) {
  const mayRetry = useMay('deliveries.replay') && ['pending', 'failed'].includes(delivery.status);
  const { mutate, isPending, error } = useWrite<Delivery>(() =>
    sayDone('It is sent now. The attempt appears below.'),
  );
  const retry = () => mutate({ path: `deliveries/${delivery.id}/retry` });
  const waits = delivery.status === 'pending' && !delivery.attempting;
  return (
    <Page
      title={`Delivery of ${delivery.event_type}`}
      parent={PARENT}
      badge={<StatusBadge status={delivery.status} />}
      actions={
        mayRetry && (
          <Button onClick={retry} loading={isPending}>
            Send it now
          </Button>
        )
      }
    >
      <ErrorMessage error={error} />
      {delivery.attempting || <WhyNotResent delivery={delivery} />}
      <Facts
        of={{
          ID: delivery.id,
          Event: <ObjectLink id={delivery.event} />,
          Endpoint: <ObjectLink id={delivery.endpoint} />,
          Replay: delivery.replay && <ObjectLink id={delivery.replay} />,
          Created: <Time at={delivery.created} exact />,
          Now: delivery.attempting && 'An attempt is in progress',
          'Next attempt': waits && (
            <>
              <Time at={delivery.due_at} /> (number {delivery.attempt} of 8)
            </>
          ),
          Finished: delivery.finished_at && <Time at={delivery.finished_at} exact />,
        }}
      />
      <Section title="Attempts">
        <Attempts delivery={delivery} />
      </Section>
      {!delivery.attempts?.length && (
        <Section title="Request">
          <RequestBody delivery={delivery} />
        </Section>
      )}
    </Page>
  );
}

function WhyNotResent({ delivery }: { delivery: Delivery }) {
  const reason = whyNotResent(delivery);
  return reason === undefined ? null : (
    <Text size="sm" mb="md">
      {reason}
    </Text>
  );
}

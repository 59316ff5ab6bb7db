import { Alert, Button, Text } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Endpoint } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { countOf } from '../../ui/count-of.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { MakerName } from './maker-name.tsx';

/** Says why an endpoint of a platform or of a leaked key gets nothing, and lets the merchant keep it. */
export function EndedNote({ endpoint }: { endpoint: Endpoint }) {
  const mayWrite = useMay('endpoints.write');
  const { mutate, isPending, error } = useWrite<Endpoint>(({ missed = 0 }) =>
    sayDone(
      missed === 0
        ? 'The endpoint is kept, and gets events again.'
        : `The endpoint is kept. It missed ${countOf(missed, 'event')}; a replay sends them.`,
    ),
  );
  if (endpoint.disabled_reason !== 'access_ended') return null;
  return (
    <Alert color="orange" mb="md" title="The access that set its address ended">
      <Text size="sm" mb="sm">
        <MakerName of={endpoint.url_set_by} /> decided where its events go, and the access it had
        then has ended. So nothing is sent there. If the address is yours, keep the endpoint.
        Otherwise delete it.
      </Text>
      <ErrorMessage error={error} />
      {mayWrite && (
        <Button
          size="xs"
          variant="default"
          loading={isPending}
          onClick={() => mutate({ path: `endpoints/${endpoint.id}`, body: { disabled: false } })}
        >
          Keep it
        </Button>
      )}
    </Alert>
  );
}

import { Button, Stack, Text } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Endpoint, SigningSecrets as Shown } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

/** The signing secrets of an endpoint, once the user asks; they leave the page with it. */
export function SigningSecrets({ endpoint }: { endpoint: Endpoint }) {
  const { mutate, data, isPending, error, reset } = useWrite<Shown>();
  const show = () => mutate({ path: `endpoints/${endpoint.id}/reveal_secrets`, body: {} });
  if (!useMay('endpoints.write')) return null;
  return (
    <Section title="Signing secret">
      <Text size="sm" c="dimmed" mb="sm">
        Your server verifies deliveries with it. Each look at it is in the audit log.
      </Text>
      {data && (
        <Stack mb="md">
          {data.secrets.map(({ id, secret, expires_at: ends }) => (
            <div key={id}>
              <CodeBlock
                text={secret}
                label={ends === null ? 'Signing secret' : 'Former signing secret'}
              />
              {ends !== null && (
                <Text size="xs" mt={4}>
                  Deliveries are signed with it, too, until <Time at={ends} exact />.
                </Text>
              )}
            </div>
          ))}
        </Stack>
      )}
      <ErrorMessage error={error} />
      <Button variant="default" size="xs" loading={isPending} onClick={data ? reset : show}>
        {data ? 'Hide the signing secret' : 'Show the signing secret'}
      </Button>
    </Section>
  );
}

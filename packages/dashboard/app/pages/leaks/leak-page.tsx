import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { Leak } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { ACTIONS, KINDS } from './leak-words.ts';
import { RotateLeakedSecrets } from './rotate-leaked-secrets.tsx';

const PARENT = { page: 'leaks', label: 'Leaks' };

export function LeakPage() {
  return (
    <ObjectPage<Leak> title="Leak" parent={PARENT}>
      {(leak) => <ShownLeak leak={leak} />}
    </ObjectPage>
  );
}

function ShownLeak({ leak }: { leak: Leak }) {
  const [dialog, setDialog] = useState<'dismiss' | 'rotate'>();
  const close = () => setDialog(undefined);
  const mayWrite = useMay('leaks.write');
  const { credential, endpoints_to_rotate: endpoints = [] } = leak;
  return (
    <Page
      title={`Leak of a ${KINDS[credential.kind].toLowerCase()}`}
      parent={PARENT}
      badge={<StatusBadge status={leak.status} />}
      actions={
        mayWrite &&
        leak.status === 'open' && (
          <Button variant="default" onClick={() => setDialog('dismiss')}>
            Dismiss
          </Button>
        )
      }
    >
      <Facts
        of={{
          ID: leak.id,
          Leaked: <ObjectLink id={credential.id} />,
          Value: <code>{credential.redacted}</code>,
          Endpoint: credential.endpoint && <ObjectLink id={credential.endpoint} />,
          'Reported by': leak.source,
          // Whoever reported it chose this address, so it is no link.
          'Found at': leak.url && <code>{leak.url}</code>,
          'What was done': ACTIONS[leak.action],
          Reported: <Time at={leak.created} exact />,
          Dismissed: leak.dismissed_at && <Time at={leak.dismissed_at} exact />,
        }}
      />
      {endpoints.length > 0 && (
        <Section title="Signing secrets to rotate">
          <Text size="sm" mb="sm">
            Whoever has the key could read the signing secrets of these endpoints:
          </Text>
          {endpoints.map((id) => (
            <div key={id}>
              <ObjectLink id={id} />
            </div>
          ))}
          {mayWrite && (
            <Button mt="md" variant="default" onClick={() => setDialog('rotate')}>
              Rotate all of them
            </Button>
          )}
        </Section>
      )}
      <RotateLeakedSecrets leak={leak} isOpen={dialog === 'rotate'} onClose={close} />
      <DismissLeak leak={leak} isOpen={dialog === 'dismiss'} onClose={close} />
    </Page>
  );
}

function DismissLeak(props: { leak: Leak; isOpen: boolean; onClose: () => void }) {
  const { leak, isOpen, onClose } = props;
  const { mutate, isPending, error } = useWrite<Leak>(() => {
    sayDone('The leak is dismissed.');
    onClose();
  });
  return (
    <ConfirmDialog
      title="Dismiss the leak?"
      action="Dismiss"
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `leaks/${leak.id}/dismiss` })}
      isBusy={isPending}
      error={error}
    >
      It stays in the list as dismissed. What was revoked stays revoked.
    </ConfirmDialog>
  );
}

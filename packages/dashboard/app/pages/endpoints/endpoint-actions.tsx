import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { Endpoint } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countOf } from '../../ui/count-of.ts';
import { sayDone } from '../../ui/say-done.ts';
import { useAddress } from '../../use-address.ts';
import { useGo } from '../../use-go.ts';
import { TriggerEvent } from '../events/trigger-event.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';
import { RotateSecret } from './rotate-secret.tsx';

type Dialog = 'test' | 'rotate' | 'switch' | 'delete';

/** What a user may do with an endpoint. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const [dialog, setDialog] = useState<Dialog>();
  // It is in the address, so that it is open again after a fresh login.
  const { address, change } = useAddress();
  const mayWrite = useMay('endpoints.write');
  const mayTrigger = useMay('events.trigger');
  const isEnabled = endpoint.status === 'enabled';
  const close = () => setDialog(undefined);
  const dialogs = { endpoint, onClose: close };
  if (!mayWrite) return null;
  return (
    <>
      {mayTrigger && <Button onClick={() => setDialog('test')}>Send a test event</Button>}
      <Button variant="default" onClick={() => void change({ edit: '1' })}>
        Edit
      </Button>
      <Button variant="default" onClick={() => setDialog('switch')}>
        {isEnabled ? 'Disable' : 'Enable'}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('rotate')}>Rotate the signing secret</Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {address['edit'] !== undefined && (
        <EditEndpoint
          endpoint={endpoint}
          onClose={() => void change({ edit: undefined }, { replace: true })}
        />
      )}
      {dialog === 'test' && <TriggerEvent endpoint={endpoint.id} onClose={close} />}
      <RotateSecret {...dialogs} isOpen={dialog === 'rotate'} />
      <SwitchEndpoint {...dialogs} isOpen={dialog === 'switch'} />
      <DeleteEndpoint {...dialogs} isOpen={dialog === 'delete'} />
    </>
  );
}

interface DialogProps {
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function SwitchEndpoint({ endpoint, isOpen, onClose }: DialogProps) {
  const isEnabled = endpoint.status === 'enabled';
  const go = useGo();
  const { mutate, isPending, error } = useWrite<Endpoint>((changed) => {
    onClose();
    if ((changed.missed ?? 0) === 0) {
      sayDone(isEnabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.');
      return;
    }
    sayDone(`The endpoint missed ${countOf(changed.missed ?? 0, 'event')}. You can send them now.`);
    const search = { create: '1', endpoint: endpoint.id, states: 'skipped' };
    const from = changed.missed_since;
    go('replays', { ...search, ...(from && { from }) });
  });
  return (
    <ConfirmDialog
      title={isEnabled ? 'Disable the endpoint?' : 'Enable the endpoint?'}
      action={isEnabled ? 'Disable' : 'Enable'}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `endpoints/${endpoint.id}`, body: { disabled: isEnabled } })}
      isBusy={isPending}
      error={error}
    >
      <Text size="sm">
        {isEnabled
          ? 'It gets no more events. Unfinished deliveries wait until you enable it again.'
          : 'It gets events again, and unfinished deliveries continue. You can then send the events that it missed.'}
      </Text>
    </ConfirmDialog>
  );
}

function DeleteEndpoint({ endpoint, isOpen, onClose }: DialogProps) {
  const go = useGo();
  const { mutate, isPending, error } = useWrite(() => {
    sayDone('The endpoint is deleted.');
    go('endpoints');
  });
  return (
    <ConfirmDialog
      title="Delete the endpoint?"
      action="Delete the endpoint"
      isDangerous
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `endpoints/${endpoint.id}`, method: 'DELETE' })}
      isBusy={isPending}
      error={error}
    >
      <Text size="sm">
        {endpoint.url} gets no more events, and its signing secret ends. You cannot undo this. To
        stop it for a time, disable it.
      </Text>
    </ConfirmDialog>
  );
}

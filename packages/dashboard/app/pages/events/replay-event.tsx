import { useState } from 'react';
import type { Delivery, Page, StoredEvent } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countOf } from '../../ui/count-of.ts';
import { EndpointSelect } from '../../ui/endpoint-select.tsx';
import { sayDone } from '../../ui/say-done.ts';

interface ReplayEventProps {
  readonly event: StoredEvent;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Sends one event again, to one endpoint or to all that want its type. */
export function ReplayEvent({ event, isOpen, onClose }: ReplayEventProps) {
  const [endpoint, setEndpoint] = useState('');
  const { mutate, isPending, error } = useWrite<Page<Delivery>>(({ data }) => {
    onClose();
    sayDone(
      data.length === 0
        ? 'No enabled endpoint wants this type, so nothing was sent.'
        : `It is sent again, in ${countOf(data.length, 'new delivery', 'new deliveries')}.`,
    );
  });
  const body = endpoint === '' ? {} : { endpoint };
  return (
    <ConfirmDialog
      title="Send the event again?"
      action="Send it"
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `events/${event.id}/replay`, body })}
      isBusy={isPending}
      error={error}
    >
      <EndpointSelect
        label="To"
        description="An endpoint that you choose gets it even if it does not want this type."
        none="All enabled endpoints that want this type"
        value={endpoint}
        onChange={setEndpoint}
      />
    </ConfirmDialog>
  );
}

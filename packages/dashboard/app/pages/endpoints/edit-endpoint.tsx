import type { Endpoint } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { useDraft } from '../../use-draft.ts';
import { type EndpointDraft, EndpointFields, missingIn } from './endpoint-fields.tsx';

/** Changes the address, the events and the description of an endpoint. */
export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { url, enabled_events, description } = endpoint;
  const [draft, setDraft] = useDraft<EndpointDraft>(`endpoint-${endpoint.id}`, {
    url,
    enabled_events,
    description: description ?? '',
  });
  const { mutate, isPending, error } = useWrite<Endpoint>(() => {
    sayDone('The endpoint is changed.');
    onClose();
  });
  // Another URL needs a fresh login in live, so it is sent only if it is another one.
  const { url: sent, ...others } = draft;
  const changed = sent === url ? others : draft;
  return (
    <ConfirmDialog
      title="Edit the endpoint"
      action="Save"
      isOpen
      onClose={onClose}
      onConfirm={() => mutate({ path: `endpoints/${endpoint.id}`, body: changed })}
      isBusy={isPending}
      missing={missingIn(draft)}
      error={error}
    >
      <EndpointFields draft={draft} set={(values) => setDraft({ ...draft, ...values })} />
    </ConfirmDialog>
  );
}

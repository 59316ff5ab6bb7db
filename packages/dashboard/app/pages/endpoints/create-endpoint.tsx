import { useState } from 'react';
import { useOwner } from '../../api/place.ts';
import type { Endpoint } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { useDraft } from '../../use-draft.ts';
import { type EndpointDraft, EndpointFields, missingIn } from './endpoint-fields.tsx';

const EMPTY: EndpointDraft = { url: '', description: '', enabled_events: [] };

/** Asks for a new endpoint, and shows its signing secret. */
export function CreateEndpoint({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [draft, setDraft] = useDraft('endpoint', EMPTY);
  const [secret, setSecret] = useState<string>();
  const owner = useOwner();
  const { mutate, isPending, error, reset } = useWrite<Endpoint>((endpoint) => {
    setDraft(EMPTY);
    onClose();
    setSecret(endpoint.secret);
    sayDone('The endpoint gets events from now on.');
  });
  const { description, ...needed } = draft;
  const body = { ...owner, ...needed, ...(description !== '' && { description }) };
  return (
    <>
      <ConfirmDialog
        title={owner.livemode ? 'Add a live endpoint' : 'Add a test endpoint'}
        action="Add the endpoint"
        isOpen={isOpen}
        onClose={() => {
          reset();
          onClose();
        }}
        onConfirm={() => mutate({ path: 'endpoints', body })}
        isBusy={isPending}
        missing={missingIn(draft)}
        error={error}
      >
        <EndpointFields draft={draft} set={(values) => setDraft({ ...draft, ...values })} />
      </ConfirmDialog>
      <SecretDialog
        title="The signing secret"
        label="Signing secret"
        again="Deliveries are signed with it. You find it again on the page of the endpoint."
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

import { Alert, Loader } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOwner, usePlace } from '../../api/place.ts';
import type { Replay } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countOf } from '../../ui/count-of.ts';
import { sayDone } from '../../ui/say-done.ts';
import { useAddress } from '../../use-address.ts';
import { bodyOf, draftFrom } from './replay-draft.ts';
import { ReplayFields } from './replay-fields.tsx';

const EVERY_MS = 1_000;

/** First counts what would be sent; then sends it. */
export function CreateReplay({ onClose }: { onClose: () => void }) {
  const { address } = useAddress();
  const { path } = usePlace();
  const owner = useOwner();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftFrom(address));
  const [countId, setCountId] = useState<string>();
  const body = { ...owner, ...bodyOf(draft) };
  const count = useWrite<Replay>(({ id }) => setCountId(id));
  const send = useWrite<Replay>(({ id }) => {
    sayDone('The events are sent again.');
    void navigate({ to: `${path}/replays/${id}` });
  });
  const { data: counted } = useObject<Replay>(
    `replays/${countId}`,
    {},
    { when: countId !== undefined, every: (seen) => (isCounting(seen) ? EVERY_MS : false) },
  );
  const isCounted = countId !== undefined && counted !== undefined && !isCounting(counted);
  const matched = isCounted ? counted.matched : 0;
  return (
    <ConfirmDialog
      title="Send many events again"
      action={isCounted ? `Send ${countOf(matched, 'event')}` : 'Count them first'}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        isCounted
          ? send.mutate({ path: 'replays', body })
          : count.mutate({ path: 'replays', body: { ...body, dry_run: true } })
      }
      isBusy={send.isPending || count.isPending || (countId !== undefined && !isCounted)}
      missing={isCounted && matched === 0 ? 'No event matches.' : undefined}
      error={send.error ?? count.error}
    >
      <ReplayFields
        draft={draft}
        set={(values) => {
          // Another choice is another number of events.
          setCountId(undefined);
          setDraft({ ...draft, ...values });
        }}
      />
      <div role="status">
        {countId !== undefined && !isCounted && <Loader size="sm" aria-label="Counting" mt="md" />}
        {isCounted && (
          <Alert mt="md" color={matched === 0 ? 'gray' : 'blue'}>
            Matching: {countOf(matched, 'event')}. Nothing is sent until you press the button.
          </Alert>
        )}
      </div>
    </ConfirmDialog>
  );
}

function isCounting(replay: Replay | undefined): boolean {
  return replay === undefined || replay.counting || ['pending', 'running'].includes(replay.status);
}

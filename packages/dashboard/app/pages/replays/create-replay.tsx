import { Alert, Loader } from '@mantine/core';
import { useState } from 'react';
import { useOwner } from '../../api/place.ts';
import type { Replay } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countOf } from '../../ui/count-of.ts';
import { sayDone } from '../../ui/say-done.ts';
import { useAddress } from '../../use-address.ts';
import { useGo } from '../../use-go.ts';
import { bodyOf, draftFrom, missingIn } from './replay-draft.ts';
import { ReplayFields } from './replay-fields.tsx';

const EVERY_MS = 1_000;
const NOUN = ['delivery', 'deliveries'] as const;

/** First counts what would be sent; then sends it. */
export function CreateReplay({ onClose }: { onClose: () => void }) {
  const { address } = useAddress();
  const owner = useOwner();
  const go = useGo();
  const [draft, setDraft] = useState(() => draftFrom(address));
  const body = { ...owner, ...bodyOf(draft) };
  const count = useCount();
  const send = useWrite<Replay>(({ id }) => {
    sayDone('The events are sent again.');
    go(`replays/${id}`);
  });
  const { matched } = count;
  const nothing = matched === 0 ? 'Nothing matches.' : undefined;
  return (
    <ConfirmDialog
      title="Send many events again"
      action={matched === undefined ? 'Count them first' : `Send ${countOf(matched, ...NOUN)}`}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        matched === undefined ? count.start(body) : send.mutate({ path: 'replays', body })
      }
      isBusy={send.isPending || count.isStarting}
      missing={count.isCounting ? 'Counting.' : (missingIn(draft) ?? nothing)}
      error={send.error ?? count.error}
    >
      <ReplayFields
        draft={draft}
        set={(values) => {
          // Another choice is another number of deliveries.
          count.forget();
          setDraft({ ...draft, ...values });
        }}
      />
      <div role="status">
        {count.isCounting && <Loader size="sm" aria-label="Counting" mt="md" />}
        {matched !== undefined && (
          <Alert mt="md" color={matched === 0 ? 'gray' : 'blue'}>
            Matching: {countOf(matched, ...NOUN)}. Nothing is sent until you press the button.
          </Alert>
        )}
        {count.failure && (
          <Alert mt="md" color="red" title="They could not be counted">
            {count.failure}
          </Alert>
        )}
      </div>
    </ConfirmDialog>
  );
}

/** Counts what a replay would send, in a replay that sends nothing. */
function useCount() {
  const [id, setId] = useState<string>();
  const { mutate, isPending, error, reset } = useWrite<Replay>((replay) => setId(replay.id));
  const { data, error: lost } = useObject<Replay>(
    `replays/${id}`,
    {},
    { when: id !== undefined, every: (seen) => (isCounting(seen) ? EVERY_MS : false) },
  );
  const counted = id === undefined || isCounting(data) ? undefined : data;
  const hasFailed = counted !== undefined && counted.status !== 'completed';
  return {
    start: (body: object) => {
      setId(undefined);
      mutate({ path: 'replays', body: { ...body, dry_run: true } });
    },
    forget: () => {
      setId(undefined);
      reset();
    },
    isStarting: isPending,
    isCounting: id !== undefined && counted === undefined && lost === null,
    matched: hasFailed ? undefined : counted?.matched,
    failure: hasFailed ? (counted.failure ?? `The count is ${counted.status}.`) : undefined,
    error: error ?? (id === undefined ? null : lost),
  };
}

function isCounting(replay: Replay | undefined): boolean {
  return replay === undefined || replay.counting || ['pending', 'running'].includes(replay.status);
}

import { Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useOwner } from '../../api/place.ts';
import type { Key } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { ScopeField } from '../../ui/scopes.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { TimeField } from '../../ui/time-field.tsx';
import { useDraft } from '../../use-draft.ts';
import { useGo } from '../../use-go.ts';
import { KEY_TYPES, TYPE_MEANINGS } from './key-words.ts';
import { RangesField, toRanges } from './ranges-field.tsx';

interface Draft {
  readonly type: Key['type'];
  readonly name: string;
  readonly scopes: NonNullable<Key['scopes']>;
  /** Empty for never; undefined while what is entered is no time. */
  readonly expires?: string | undefined;
  readonly ranges: string;
}

const EMPTY: Draft = { type: 'restricted', name: '', scopes: [], expires: '', ranges: '' };
const TYPES = ['restricted', 'secret', 'publishable'] as const;

/** Asks what a new key is for, and shows its value once. */
export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [draft, setDraft] = useDraft('key', EMPTY);
  const [secret, setSecret] = useState<string>();
  const owner = useOwner();
  const go = useGo();
  const { mutate, isPending, error, reset } = useWrite<Key>((key) => {
    setDraft(EMPTY);
    onClose();
    // A publishable key stays visible: there is nothing to store.
    if (key.type === 'publishable') go(`keys/${key.id}`);
    else setSecret(key.secret);
    sayDone(`The key ${key.name} works now.`);
  });
  const close = () => {
    reset();
    onClose();
  };
  const set = (values: Partial<Draft>) => setDraft({ ...draft, ...values });
  return (
    <>
      <ConfirmDialog
        title={owner.livemode ? 'Create a live key' : 'Create a test key'}
        action="Create the key"
        isOpen={isOpen}
        onClose={close}
        onConfirm={() => mutate({ path: 'keys', body: { ...owner, ...toBody(draft) } })}
        isBusy={isPending}
        missing={missingIn(draft)}
        error={error}
      >
        <Fields draft={draft} set={set} />
      </ConfirmDialog>
      <SecretDialog
        title="Your new key"
        label="Key"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

function Fields({ draft, set }: { draft: Draft; set: (values: Partial<Draft>) => void }) {
  return (
    <Stack gap="md">
      <Radio.Group
        label="Type"
        value={draft.type}
        onChange={(value) => set({ type: TYPES.find((type) => type === value) ?? 'restricted' })}
      >
        <Stack gap="xs" mt={4}>
          {TYPES.map((type) => (
            <Radio
              key={type}
              value={type}
              label={KEY_TYPES[type]}
              description={TYPE_MEANINGS[type]}
            />
          ))}
        </Stack>
      </Radio.Group>
      <TextInput
        label="Name"
        description="What will use it, such as “shop server”."
        required
        data-autofocus
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {draft.type === 'restricted' && (
        <ScopeField chosen={draft.scopes} onChange={(scopes) => set({ scopes })} />
      )}
      <TimeField
        label="Expires"
        description="Without a time it works until you revoke it."
        value={draft.expires}
        onChange={(expires) => set({ expires })}
      />
      <RangesField value={draft.ranges} onChange={(ranges) => set({ ranges })} />
    </Stack>
  );
}

function missingIn({ type, name, scopes, expires }: Draft): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  if (type === 'restricted' && scopes.length === 0) return 'Choose what the key may do.';
  return expires === undefined ? 'Correct the time at which it expires.' : undefined;
}

function toBody({ type, name, scopes, expires, ranges }: Draft): object {
  const allowed = toRanges(ranges);
  return {
    type,
    name: name.trim(),
    ...(type === 'restricted' && { scopes }),
    ...(allowed.length > 0 && { allowed_ips: allowed }),
    ...(expires && { expires_at: expires }),
  };
}

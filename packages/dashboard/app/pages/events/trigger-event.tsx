import { NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { StoredEvent } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EndpointSelect } from '../../ui/endpoint-select.tsx';
import { EVENT_TYPES } from '../../ui/event-types.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { useGo } from '../../use-go.ts';

interface TriggerEventProps {
  /** The endpoint that is chosen at first. */
  readonly endpoint?: string;
  readonly onClose: () => void;
}

/** Makes an event in test, of an invented object or of one that exists. */
export function TriggerEvent({ endpoint: first = '', onClose }: TriggerEventProps) {
  const [type, setType] = useState('charge.succeeded');
  const [endpoint, setEndpoint] = useState(first);
  const [object, setObject] = useState('');
  const [overrides, setOverrides] = useState('');
  const go = useGo();
  const { mutate, isPending, error } = useWrite<StoredEvent>(({ id }) => {
    sayDone('The event is made, and is being delivered.');
    go(`events/${id}`);
  });
  const fields = parseObject(overrides);
  const isWrong = fields === undefined && overrides.trim() !== '';
  const body = {
    type,
    ...(endpoint !== '' && { endpoint }),
    ...(object !== '' && { object }),
    ...(fields && { overrides: fields }),
  };
  return (
    <ConfirmDialog
      title="Make a test event"
      action="Make the event"
      isOpen
      onClose={onClose}
      onConfirm={() => mutate({ path: 'test_helpers/events', body })}
      isBusy={isPending}
      missing={isWrong ? 'Mend the JSON, or remove it.' : undefined}
      error={error}
    >
      <Stack gap="md">
        <NativeSelect
          label="Type"
          data={[...EVENT_TYPES]}
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
        />
        <EndpointSelect
          label="To"
          none="All endpoints that want this type"
          value={endpoint}
          onChange={setEndpoint}
        />
        <TextInput
          label="About"
          description="The ID of a test object. Empty: an invented one."
          placeholder="ch_…"
          value={object}
          onChange={(event) => setObject(event.currentTarget.value.trim())}
        />
        <OverridesField text={overrides} isWrong={isWrong} onChange={setOverrides} />
        <Text size="sm" c="dimmed">
          No money moves, and nothing of your data changes.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}

interface OverridesFieldProps {
  readonly text: string;
  readonly isWrong: boolean;
  readonly onChange: (text: string) => void;
}

function OverridesField({ text, isWrong, onChange }: OverridesFieldProps) {
  return (
    <Textarea
      label="Other values of the object"
      description="As JSON. Fields that you leave out keep their value."
      placeholder={'{ "amount": 5000, "metadata": { "order": "6735" } }'}
      autosize
      minRows={3}
      value={text}
      error={isWrong && 'This is not a JSON object.'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The object of a text; undefined if it is none. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
}

import { Stack, TextInput } from '@mantine/core';
import { EventTypesField } from '../../ui/event-types.tsx';

/** What a user says of an endpoint. */
export interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  readonly enabled_events: readonly string[];
}

interface EndpointFieldsProps {
  readonly draft: EndpointDraft;
  readonly set: (values: Partial<EndpointDraft>) => void;
}

/** What must still be entered, as a sentence. */
export function missingIn({ url, enabled_events: types }: EndpointDraft): string | undefined {
  if (url.trim() === '') return 'Enter an address.';
  return types.length === 0 ? 'Choose the events, or * for all.' : undefined;
}

export function EndpointFields({ draft, set }: EndpointFieldsProps) {
  return (
    <Stack gap="md">
      <TextInput
        type="url"
        label="Address"
        description="Where your server takes POST requests, with https."
        placeholder="https://shop.example/webhooks"
        required
        data-autofocus
        value={draft.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <EventTypesField
        label="Events"
        description="It gets only events of these types."
        withPatterns
        value={draft.enabled_events}
        onChange={(types) => set({ enabled_events: types })}
      />
      <TextInput
        label="Description"
        value={draft.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
    </Stack>
  );
}

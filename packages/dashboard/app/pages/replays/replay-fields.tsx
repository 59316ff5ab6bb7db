import { Group, NativeSelect, Stack } from '@mantine/core';
import { EndpointSelect } from '../../ui/endpoint-select.tsx';
import { EventTypesField } from '../../ui/event-types.tsx';
import { TimeField } from '../../ui/time-field.tsx';
import { type ReplayDraft, STATES } from './replay-draft.ts';

interface ReplayFieldsProps {
  readonly draft: ReplayDraft;
  readonly set: (values: Partial<ReplayDraft>) => void;
}

/** Which events are sent again, and where. */
export function ReplayFields({ draft, set }: ReplayFieldsProps) {
  return (
    <Stack gap="md">
      <Group grow align="flex-end">
        <TimeField label="Events from" value={draft.from} onChange={(from) => set({ from })} />
        <TimeField label="Before" value={draft.until} onChange={(until) => set({ until })} />
      </Group>
      <EndpointSelect
        label="Endpoint"
        description="Look at its deliveries, and send to it."
        none="All endpoints"
        value={draft.endpoint}
        onChange={(endpoint) => set({ endpoint })}
      />
      <NativeSelect
        label="Only events"
        value={draft.state}
        data={[
          { value: '', label: 'All' },
          ...Object.entries(STATES).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => set({ state: event.currentTarget.value })}
      />
      <EventTypesField
        label="Types"
        description="None chosen: all types."
        value={draft.types}
        onChange={(types) => set({ types })}
      />
      <EndpointSelect
        label="Send to"
        description="Another endpoint may get them instead."
        none="The same endpoint"
        value={draft.to}
        onChange={(to) => set({ to })}
      />
    </Stack>
  );
}

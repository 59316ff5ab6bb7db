import { Button, Table } from '@mantine/core';
import { memo } from 'react';
import type { StoredEvent } from '../../../api/resources.ts';
import { JsonView } from '../../../ui/json-view.tsx';
import { ObjectLink } from '../../../ui/object-link.tsx';
import { Time } from '../../../ui/time.tsx';
import classes from './live.module.css';

export const COLUMNS = ['Event', 'ID', 'About', 'Created', 'Content'] as const;
const [EVENT, ID, ABOUT, CREATED, CONTENT] = COLUMNS;

interface LiveRowProps {
  readonly event: StoredEvent;
  readonly isOpen: boolean;
  readonly onToggle: (id: string) => void;
}

/** One event, and its content below it. A row is drawn once, however many come above it. */
export const LiveRow = memo(function LiveRow({ event, isOpen, onToggle }: LiveRowProps) {
  const { id, type, created, data } = event;
  return (
    <>
      <Table.Tr>
        <Table.Td data-label={EVENT}>
          <ObjectLink id={id} label={type} />
        </Table.Td>
        <Table.Td data-label={ID}>
          <ObjectLink id={id} />
        </Table.Td>
        <Table.Td data-label={ABOUT}>
          <ObjectLink id={data.object.id} />
        </Table.Td>
        <Table.Td data-label={CREATED}>
          {/* A relative time would grow old: the row is not drawn again. */}
          <Time at={created} exact />
        </Table.Td>
        <Table.Td data-label={CONTENT}>
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} the content of ${id}`}
            onClick={() => onToggle(id)}
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS.length} className={classes['content'] ?? ''}>
            <JsonView value={event} label="JSON of the event" />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
});

import { Alert, Box, Button, Skeleton, Table, Text } from '@mantine/core';
import { useFocusWithin, useInViewport } from '@mantine/hooks';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import type { Query } from '../../../api/request.ts';
import type { StoredEvent } from '../../../api/resources.ts';
import { countOf } from '../../../ui/count-of.ts';
import tableClasses from '../../../ui/data-table.module.css';
import { ErrorMessage } from '../../../ui/error-message.tsx';
import classes from './live.module.css';
import { COLUMNS, LiveRow } from './live-row.tsx';
import { useLiveEvents } from './use-live-events.ts';

const NONE: readonly StoredEvent[] = [];

/** The newest events, as they happen. It waits while the reader looks at one. */
export function LiveEvents({ query, empty }: { query: Query; empty: ReactNode }) {
  const { events, isCut, waitMs, error, isReachable, retry } = useLiveEvents(query);
  const [openId, setOpenId] = useState<string>();
  const top = useInViewport<HTMLDivElement>();
  const rows = useFocusWithin<HTMLDivElement>();
  const status = useRef<HTMLParagraphElement>(null);
  const toggle = useCallback(
    (id: string) => setOpenId((former) => (former === id ? undefined : id)),
    [],
  );
  const [shown, setShown] = useState(NONE);
  const isReading = openId !== undefined || rows.focused || !top.inViewport;
  const isHeld = isReading && shown.length > 0;
  if (events !== undefined && events !== shown && !isHeld) setShown(events);
  const showNew = () => {
    setOpenId(undefined);
    setShown(events ?? NONE);
    // The button disappears, and the focus would be lost with it.
    status.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };
  return (
    <>
      <div ref={top.ref} />
      <Text size="sm" c="dimmed" mb="xs" role="status" tabIndex={-1} ref={status}>
        {statusOf({ isStopped: error !== null, isReachable, waitMs, isHeld })}
      </Text>
      <ErrorMessage error={error} retry={retry} />
      {isCut && <CutNote />}
      <NewEvents count={newerThan(shown[0], events ?? NONE)} onShow={showNew} />
      {events === undefined && error === null && <Skeleton h={160} />}
      {events?.length === 0 && empty}
      <Box ref={rows.ref}>
        {shown.length > 0 && <LiveTable events={shown} openId={openId} onToggle={toggle} />}
      </Box>
    </>
  );
}

interface LiveState {
  readonly isStopped: boolean;
  readonly isReachable: boolean;
  readonly waitMs: number;
  readonly isHeld: boolean;
}

function statusOf({ isStopped, isReachable, waitMs, isHeld }: LiveState): string {
  if (isStopped) return 'Stopped.';
  if (!isReachable) return 'Waiting for the server.';
  if (waitMs > 0) {
    return `The server could not answer. Trying again in ${countOf(Math.ceil(waitMs / 1000), 'second')}.`;
  }
  return isHeld ? 'Paused while you read.' : 'New events appear here as they happen.';
}

/** How many of the events came after the first row. */
function newerThan(first: StoredEvent | undefined, events: readonly StoredEvent[]): number {
  if (first === undefined) return 0;
  const at = events.findIndex(({ id }) => id <= first.id);
  return at === -1 ? events.length : at;
}

function CutNote() {
  return (
    <Alert color="yellow" mb="md" title="Some events are not shown">
      More events came than this page can follow. Choose a type, or turn off "Follow new events" to
      see all of them.
    </Alert>
  );
}

function NewEvents({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className={classes['new']}>
      <Button size="xs" onClick={onShow}>
        {countOf(count, 'new event')}
      </Button>
    </div>
  );
}

interface LiveTableProps {
  readonly events: readonly StoredEvent[];
  readonly openId: string | undefined;
  readonly onToggle: (id: string) => void;
}

function LiveTable({ events, openId, onToggle }: LiveTableProps) {
  return (
    <Table
      aria-label="New events"
      className={tableClasses['table'] ?? ''}
      verticalSpacing="xs"
      layout="fixed"
    >
      <Table.Thead>
        <Table.Tr>
          {COLUMNS.map((name) => (
            <Table.Th key={name} scope="col">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <LiveRow key={event.id} event={event} isOpen={event.id === openId} onToggle={onToggle} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

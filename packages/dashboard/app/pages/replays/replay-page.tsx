import { Button, Progress, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { Replay } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countOf } from '../../ui/count-of.ts';
import { Facts } from '../../ui/facts.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { STATES } from './replay-draft.ts';

const PARENT = { page: 'replays', label: 'Replays' };
const EVERY_MS = 2_000;

const isOpenReplay = ({ status }: Replay): boolean => status === 'pending' || status === 'running';

export function ReplayPage() {
  return (
    <ObjectPage<Replay>
      title="Replay"
      parent={PARENT}
      every={(replay) =>
        replay && (isOpenReplay(replay) || replay.deliveries?.pending) ? EVERY_MS : false
      }
    >
      {(replay) => <ShownReplay replay={replay} />}
    </ObjectPage>
  );
}

function ShownReplay({ replay }: { replay: Replay }) {
  const [isOpen, setOpen] = useState(false);
  const mayCancel = useMay('deliveries.replay') && isOpenReplay(replay);
  const filter = replay.created_filter;
  return (
    <Page
      title="Replay"
      parent={PARENT}
      badge={<StatusBadge status={replay.status} />}
      actions={
        mayCancel && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Cancel
          </Button>
        )
      }
    >
      <ReplayProgress replay={replay} />
      <Facts
        of={{
          ID: replay.id,
          Kind: replay.dry_run ? 'Counted only: nothing is sent' : 'Sent',
          Endpoint: replay.endpoint && <ObjectLink id={replay.endpoint} />,
          'Sent to': replay.to && <ObjectLink id={replay.to} />,
          Events: replay.states?.map((state) => STATES[state]).join(', '),
          Types: replay.types?.join(', '),
          From: filter?.gte && <Time at={filter.gte} exact />,
          Before: filter?.lt && <Time at={filter.lt} exact />,
          'At most': `${replay.rate} deliveries per second`,
          Created: <Time at={replay.created} exact />,
          Finished: replay.finished_at && <Time at={replay.finished_at} exact />,
          Problem: replay.failure,
        }}
      />
      {!replay.dry_run && (
        <Section title="Deliveries">
          <DeliveryTable query={{ replay: replay.id }} />
        </Section>
      )}
      <CancelReplay replay={replay} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

function ReplayProgress({ replay }: { replay: Replay }) {
  const { matched, created_count: made, skipped, deliveries, counting } = replay;
  const share = matched === 0 ? 100 : Math.round((100 * (made + skipped)) / matched);
  return (
    <div role="status">
      <Text size="sm" mb="xs">
        Matching{counting && ' so far'}: {countOf(matched, 'delivery', 'deliveries')}.{' '}
        {!replay.dry_run && `Made: ${countOf(made, 'delivery', 'deliveries')}.`}{' '}
        {deliveries &&
          !replay.dry_run &&
          `${deliveries.succeeded} arrived, ${deliveries.failed} failed, ${deliveries.pending} wait.`}
      </Text>
      {!replay.dry_run && <Progress value={share} aria-label="Made" mb="md" />}
    </div>
  );
}

function CancelReplay(props: { replay: Replay; isOpen: boolean; onClose: () => void }) {
  const { replay, isOpen, onClose } = props;
  const { mutate, isPending, error } = useWrite<Replay>(() => {
    sayDone('The replay is canceled.');
    onClose();
  });
  return (
    <ConfirmDialog
      title="Cancel the replay?"
      action="Cancel the replay"
      isDangerous
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => mutate({ path: `replays/${replay.id}/cancel` })}
      isBusy={isPending}
      error={error}
    >
      No more deliveries are made, and those that wait are not sent. What was sent stays sent.
    </ConfirmDialog>
  );
}

import { Button, Group } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Charge, Page as ListOf, Refund, StoredEvent } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { type Columns, Rows } from '../../ui/data-table.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Metadata } from '../../ui/metadata.tsx';
import { formatMoney } from '../../ui/minor-units.ts';
import { Money } from '../../ui/money.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PageLink } from '../../ui/page-link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { methodOf, statusOf } from './charge-words.ts';
import { RefundCharge } from './refund-charge.tsx';

const PARENT = { page: 'charges', label: 'Charges' };
/** The most that one request returns. */
const MOST = { limit: '100' };
const EVERY_MS = 3_000;

/** How long until a charge is read again: while the bank has not answered, it changes by itself. */
function pollingOf(charge: Charge | undefined): number | false {
  return charge?.status === 'pending' ? EVERY_MS : false;
}

const REFUNDS: Columns<Refund> = [
  {
    header: 'Amount',
    cell: ({ row }) => <Money amount={row.original.amount} currency={row.original.currency} />,
  },
  { header: 'ID', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={row.original.status} /> },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} exact /> },
];
/** Something that happened to a charge, and has a page. */
interface Moment {
  readonly id: string;
  readonly created: string;
  readonly label: string;
}

const TIMELINE: Columns<Moment> = [
  { header: 'Time', cell: ({ row }) => <Time at={row.original.created} exact /> },
  {
    header: 'Event',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.label} />,
  },
];

export function ChargePage() {
  return (
    <ObjectPage<Charge> title="Charge" parent={PARENT} every={pollingOf}>
      {(charge) => <ShownCharge charge={charge} />}
    </ObjectPage>
  );
}

function ShownCharge({ charge }: { charge: Charge }) {
  const { currency, balance_transaction: transaction } = charge;
  const { address, change } = useAddress();
  const isRefundable = charge.captured && charge.amount_refunded < charge.amount_captured;
  const mayRefund = useMay('charges.refund') && isRefundable;
  // It is in the address, so that it is open again after a fresh login.
  const isRefunding = mayRefund && address['refund'] !== undefined;
  return (
    <Page
      title={charge.description ?? 'Charge'}
      parent={PARENT}
      badge={<StatusBadge status={statusOf(charge)} />}
      actions={mayRefund && <Button onClick={() => void change({ refund: '1' })}>Refund</Button>}
    >
      <Facts
        of={{
          ID: charge.id,
          Amount: <Money amount={charge.amount} currency={currency} />,
          'Payment method': methodOf(charge),
          Captured: charge.captured && (
            <Money amount={charge.amount_captured} currency={currency} />
          ),
          Refunded: charge.amount_refunded > 0 && (
            <Money amount={charge.amount_refunded} currency={currency} />
          ),
          'Capture before': charge.capture_before && <Time at={charge.capture_before} exact />,
          Failure: charge.failure_message ?? charge.failure_code,
          Processor: charge.processor.name,
          'Reference of the processor': charge.processor.reference,
          'Balance transaction': transaction && <ObjectLink id={transaction} />,
          Created: <Time at={charge.created} exact />,
        }}
      />
      <History charge={charge} />
      <Metadata of={charge.metadata} />
      <Section title="Content">
        <JsonView value={charge} label="JSON of the charge" />
      </Section>
      {isRefunding && (
        <RefundCharge
          charge={charge}
          onClose={() => void change({ refund: undefined }, { replace: true })}
        />
      )}
    </Page>
  );
}

/** The refunds and events of a charge. */
function History({ charge }: { charge: Charge }) {
  const every = pollingOf(charge);
  const refunds = useObject<ListOf<Refund>>(`charges/${charge.id}/refunds`, MOST, { every });
  const about = { ...MOST, object_id: charge.id };
  const events = useObject<ListOf<StoredEvent>>('events', about, { every });
  const retry = () => {
    void refunds.refetch();
    void events.refetch();
  };
  return (
    <>
      <Section title="Timeline">
        <ErrorMessage error={events.error ?? refunds.error} retry={retry} />
        {events.data && (
          <Rows
            rows={momentsOf(events.data.data, refunds.data?.data ?? [])}
            columns={TIMELINE}
            label="Timeline"
          />
        )}
        {(events.data?.has_more || refunds.data?.has_more) && (
          <Group mt="xs">
            <PageLink page="events" search={{ object_id: charge.id }}>
              All events of this charge
            </PageLink>
            <PageLink page="refunds" search={{ charge: charge.id }}>
              All refunds of this charge
            </PageLink>
          </Group>
        )}
      </Section>
      {refunds.data && refunds.data.data.length > 0 && (
        <Section title="Refunds">
          <Rows rows={refunds.data.data} columns={REFUNDS} label="Refunds" />
        </Section>
      )}
    </>
  );
}

/** Events and refunds, the newest first. */
function momentsOf(events: readonly StoredEvent[], refunds: readonly Refund[]): readonly Moment[] {
  return [
    ...events.map(({ id, created, type }) => ({ id, created, label: type })),
    ...refunds.map(({ id, created, amount, currency }) => ({
      id,
      created,
      label: `Refund of ${formatMoney(amount, currency)}`,
    })),
  ].sort((one, other) => Date.parse(other.created) - Date.parse(one.created));
}

import type { Refund } from '../../api/resources.ts';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Metadata } from '../../ui/metadata.tsx';
import { formatMoney } from '../../ui/minor-units.ts';
import { Money } from '../../ui/money.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { REASONS } from './refund-words.ts';

const PARENT = { page: 'refunds', label: 'Refunds' };
const EVERY_MS = 3_000;

export function RefundPage() {
  return (
    <ObjectPage<Refund>
      title="Refund"
      parent={PARENT}
      every={(refund) => (refund?.status === 'pending' ? EVERY_MS : false)}
    >
      {(refund) => <ShownRefund refund={refund} />}
    </ObjectPage>
  );
}

function ShownRefund({ refund }: { refund: Refund }) {
  const { amount, currency, balance_transaction: paid, failure_balance_transaction: back } = refund;
  return (
    <Page
      title={`Refund of ${formatMoney(amount, currency)}`}
      parent={PARENT}
      badge={<StatusBadge status={refund.status} />}
    >
      <Facts
        of={{
          ID: refund.id,
          Amount: <Money amount={amount} currency={currency} />,
          Charge: <ObjectLink id={refund.charge} />,
          Reason: refund.reason && REASONS[refund.reason],
          Failure: refund.failure_reason,
          'Balance transaction': paid && <ObjectLink id={paid} />,
          'Returned to the balance': back && <ObjectLink id={back} />,
          Created: <Time at={refund.created} exact />,
        }}
      />
      <Metadata of={refund.metadata} />
      <Section title="Content">
        <JsonView value={refund} label="JSON of the refund" />
      </Section>
    </Page>
  );
}

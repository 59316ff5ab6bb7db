import type { BalanceTransaction } from '../../api/resources.ts';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { formatMoney } from '../../ui/minor-units.ts';
import { Money } from '../../ui/money.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { TYPES } from './balance-words.ts';

const PARENT = { page: 'balance', label: 'Balance' };

export function BalanceTransactionPage() {
  return (
    <ObjectPage<BalanceTransaction>
      title="Transaction of the balance"
      parent={PARENT}
      path="balance_transactions"
    >
      {(transaction) => <ShownTransaction transaction={transaction} />}
    </ObjectPage>
  );
}

function ShownTransaction({ transaction }: { transaction: BalanceTransaction }) {
  const { currency, fee_details: fees } = transaction;
  return (
    <Page
      title={`${TYPES[transaction.type]}: ${formatMoney(transaction.net, currency)}`}
      parent={PARENT}
      badge={<StatusBadge status={transaction.status} />}
    >
      <Facts
        of={{
          ID: transaction.id,
          For: <ObjectLink id={transaction.source} />,
          Amount: <Money amount={transaction.amount} currency={currency} />,
          Fee: <Money amount={transaction.fee} currency={currency} />,
          'Parts of the fee':
            fees.length > 1 &&
            fees
              .map((fee) => `${fee.description}: ${formatMoney(fee.amount, currency)}`)
              .join(', '),
          Net: <Money amount={transaction.net} currency={currency} />,
          Available: <Time at={transaction.available_on} exact />,
          Created: <Time at={transaction.created} exact />,
        }}
      />
      <Section title="Content">
        <JsonView value={transaction} label="JSON of the transaction" />
      </Section>
    </Page>
  );
}

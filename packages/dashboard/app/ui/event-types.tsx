import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import type { EventType } from '../api/resources.ts';

/** Every event type, with the words of a search. The compiler compares the names with the server's. */
const MEANINGS: Readonly<Record<EventType, string>> = {
  'charge.succeeded': 'authorized and captured',
  'charge.failed': 'declined, blocked, or expired',
  'charge.captured': 'an authorized charge was captured',
  'charge.refunded': 'a refund completed',
  'charge.pending': 'a bank debit awaits clearing',
  'subscription.created': 'a subscription began',
  'subscription.renewed': 'a renewal was paid',
  'subscription.payment_failed': 'a renewal was declined',
  'subscription.recovered': 'a later try succeeded',
  'subscription.canceled': 'a subscription ended',
  'dispute.created': 'a cardholder disputed a charge',
  'dispute.alert': 'a dispute is about to come',
  'dispute.won': 'the amount comes back',
  'dispute.lost': 'the amount is lost',
  'payout.paid': 'funds left for your bank',
  'payout.failed': 'your bank rejected a payout',
};

export const EVENT_TYPES: readonly string[] = Object.keys(MEANINGS);

const FAMILIES = ['charge', 'subscription', 'dispute', 'payout'] as const;
const described = Object.entries(MEANINGS).map(([value, meaning]) => ({
  value,
  label: `${value} (${meaning})`,
}));
const PATTERNS = [
  { group: 'Everything', items: [{ value: '*', label: '* (all events, also future types)' }] },
  {
    group: 'Families',
    items: FAMILIES.map((name) => ({ value: `${name}.*`, label: `${name}.* (all of ${name}s)` })),
  },
  { group: 'Types', items: described },
];

/** The patterns of an endpoint, for people. */
export function eventsInWords(patterns: readonly string[]): string {
  return patterns.includes('*') ? 'All events' : patterns.join(', ');
}

interface EventTypesFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly value: readonly string[];
  readonly onChange: (types: string[]) => void;
  /** Whether families and `*` may be chosen, too. */
  readonly withPatterns?: boolean;
}

/** Chooses event types; typing searches them by name and meaning. */
export function EventTypesField(props: EventTypesFieldProps) {
  const { label, description, value, onChange, withPatterns = false } = props;
  // The list would cover the button of a dialog for as long as the field has the focus.
  const [isOpen, setOpen] = useState(false);
  return (
    <MultiSelect
      label={label}
      description={description}
      data={withPatterns ? PATTERNS : described}
      value={[...value]}
      onChange={(types) => {
        onChange(types);
        setOpen(false);
      }}
      openOnFocus={false}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      searchable
      clearable
      hidePickedOptions
      clearButtonProps={{ 'aria-label': 'Remove all' }}
      nothingFoundMessage="There is no such type"
      placeholder={value.length === 0 ? 'Search, such as “refund”' : ''}
    />
  );
}

import { Checkbox, Fieldset, List, Stack } from '@mantine/core';
import type { Scope } from '../api/resources.ts';

/** What a scope permits, grouped by subject. */
const GROUPS: readonly (readonly [string, readonly Scope[]])[] = [
  ['Payments', ['charges:read', 'charges:write']],
  ['Customers', ['customers:read', 'customers:write']],
  ['Money', ['payouts:read']],
  ['Webhooks and events', ['webhooks:write']],
  ['Subscriptions and disputes', ['subscriptions:write', 'disputes:write']],
];

const WORDS: Readonly<Record<Scope, string>> = {
  'charges:read': 'See charges and refunds',
  'charges:write': 'Charge cards, capture, cancel and refund',
  'customers:read': 'See customers, payment methods and tokens',
  'customers:write': 'Change customers, make tokens and payment methods',
  'subscriptions:write': 'Subscriptions, once there are some',
  'payouts:read': 'See the balance and its transactions',
  'disputes:write': 'Upload evidence, see and answer disputes',
  'webhooks:write': 'Register endpoints, see and replay events',
};

/** Scopes, in words. */
export function ScopeList({ scopes }: { scopes: readonly Scope[] }) {
  return (
    <List size="sm">
      {scopes.map((scope) => (
        <List.Item key={scope}>{WORDS[scope]}</List.Item>
      ))}
    </List>
  );
}

interface ScopeFieldProps {
  readonly chosen: readonly Scope[];
  readonly onChange: (scopes: Scope[]) => void;
}

/** Chooses scopes. */
export function ScopeField({ chosen, onChange }: ScopeFieldProps) {
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(isOn ? [...chosen, scope] : chosen.filter((each) => each !== scope));
  return (
    <Stack gap="xs">
      {GROUPS.map(([subject, scopes]) => (
        <Fieldset key={subject} legend={subject} p="xs">
          <Stack gap="xs">
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                label={WORDS[scope]}
                description={scope}
                checked={chosen.includes(scope)}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
            ))}
          </Stack>
        </Fieldset>
      ))}
    </Stack>
  );
}

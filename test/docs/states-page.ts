import { INVOICE_TRANSITIONS } from '../../packages/core/src/billing/invoices/invoice.ts';
import { SUBSCRIPTION_TRANSITIONS } from '../../packages/core/src/billing/subscriptions/subscription-states.ts';
import { CHARGE_TRANSITIONS } from '../../packages/core/src/payments/charges/charge-states.ts';
import { DISPUTE_TRANSITIONS } from '../../packages/core/src/payments/disputes/dispute-states.ts';
import { PAYOUT_TRANSITIONS } from '../../packages/core/src/payments/payouts/payout-states.ts';
import { REFUND_TRANSITIONS } from '../../packages/core/src/payments/refunds/refund-states.ts';

/** A row of a table of transitions, whichever resource it is of. */
interface Transition {
  readonly from: string | readonly string[];
  readonly to: string;
  readonly event: string | null;
  readonly recipe: string | null;
}

interface Resource {
  readonly title: string;
  /** What a reader should know before the drawing. */
  readonly about: string;
  /** The status of a new object; where transitions are `from: new`, they tell it. */
  readonly first?: string;
  readonly transitions: Readonly<Record<string, Transition>>;
}

const RESOURCES: readonly Resource[] = [
  {
    title: 'Charges',
    about: `A charge is stored as \`pending\` before the processor is called, so that no answer is lost. Refunds and
disputes of a charge have states of their own; the charge stays \`succeeded\`.`,
    first: 'pending',
    transitions: CHARGE_TRANSITIONS,
  },
  {
    title: 'Refunds',
    about: `An accepted refund is posted to the ledger at once, with the recipe \`refund\`. A refund that fails or is
canceled gives the amount back.`,
    first: 'pending',
    transitions: REFUND_TRANSITIONS,
  },
  {
    title: 'Disputes',
    about: `A dispute begins as an alert, which takes no money, or as a chargeback, which takes it at once. A dispute that was
lost without a ruling, because it was accepted or not answered in time, can be won after that. A ruling can be
reversed only in a [later round](../how-to/answer-a-dispute.md#when-a-ruling-is-reversed); \`reopened\` books only if the
money was back.`,
    transitions: DISPUTE_TRANSITIONS,
  },
  {
    title: 'Payouts',
    about: `An accepted payout leaves the balance at once, with the recipe \`payout\`. A worker sends it.`,
    first: 'pending',
    transitions: PAYOUT_TRANSITIONS,
  },
  {
    title: 'Invoices',
    about: `An invoice of which nothing is due is paid as soon as it is finalized. It has no event of its own: the
[hook](paymount.md#the-hook) gets it when it is finalized and when it is paid, and the charge that pays it has the events of charges.`,
    first: 'draft',
    transitions: withoutEvents(INVOICE_TRANSITIONS),
  },
  {
    title: 'Subscriptions',
    about: `A subscription whose first invoice asks for money begins as \`incomplete\`; without one it is \`active\` or
\`trialing\` at once. [Give access by state](../how-to/give-access-by-state.md) says what each status means for access.`,
    first: 'incomplete',
    transitions: withoutRecipes(SUBSCRIPTION_TRANSITIONS),
  },
];

/** The transitions of a resource that has no events, and that no posting is about. */
function withoutEvents(
  transitions: Readonly<Record<string, Pick<Transition, 'from' | 'to'>>>,
): Resource['transitions'] {
  const entries = Object.entries(transitions);
  return Object.fromEntries(
    entries.map(([name, each]) => [name, { ...each, event: null, recipe: null }]),
  );
}

/** The transitions of a resource that moves no money itself: its charges do. */
function withoutRecipes(
  transitions: Readonly<Record<string, Omit<Transition, 'recipe'>>>,
): Resource['transitions'] {
  const entries = Object.entries(transitions);
  return Object.fromEntries(entries.map(([name, each]) => [name, { ...each, recipe: null }]));
}

/** `docs/reference/states.md`: how objects change their status, from the tables of transitions. */
export function statesPage(): string {
  return `${INTRODUCTION}${RESOURCES.map(section).join('')}`;
}

function section({ title, about, first, transitions }: Resource): string {
  const arrows = Object.entries(transitions).flatMap(([trigger, { from, to }]) =>
    [from].flat().map((state) => ({ state, to, label: words(trigger) })),
  );
  const drawn = arrows.map(
    ({ state, to, label }) => `  ${state === 'new' ? '[*]' : state} --> ${to}: ${label}`,
  );
  const start = first ? [`  [*] --> ${first}`] : [];
  const left = new Set(arrows.map(({ state }) => state));
  const ends = [...new Set(arrows.map(({ to }) => to))].filter((state) => !left.has(state));
  const rows = Object.entries(transitions).map(row);
  return `
## ${title}

${about}

\`\`\`mermaid
stateDiagram-v2
${[...start, ...drawn, ...ends.map((state) => `  ${state} --> [*]`)].join('\n')}
\`\`\`

| Trigger | From | To | Event | Recipe |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function row([trigger, { from, to, event, recipe }]: [string, Transition]): string {
  const states = [from].flat().map((state) => (state === 'new' ? 'new' : code(state)));
  const cells = [words(trigger), states.join(', '), code(to), code(event), code(recipe)];
  return `| ${cells.join(' | ')} |`;
}

function words(trigger: string): string {
  return trigger.replaceAll('_', ' ');
}

function code(text: string | null): string {
  return text === null ? 'none' : `\`${text}\``;
}

const INTRODUCTION = `<!-- Generated from the tables of transitions by \`npm run docs\`; do not edit. -->
# States

Every change of a status is a row of one table. The change, its event and its posting to the
[ledger](../explanation/money.md) commit together or not at all. A request for a change that the
object's status does not allow is refused with 400, usually
[\`status_transition_invalid\`](errors.md#status_transition_invalid). A notice of the processor for
such a change has no effect on the object; [Receive the notices of a
processor](../how-to/receive-processor-notices.md) says what happens to it.
`;

import fc from 'fast-check';

// What a bank reports about the disputes of one charge, and every order in which it may arrive.

/** One report, in the bank's words. `round`: absent if the bank has no rounds. */
export interface Told {
  readonly kind: 'dispute.alert' | 'dispute.opened' | 'dispute.closed';
  readonly dispute: string;
  readonly amount?: number;
  readonly outcome?: 'won' | 'lost' | 'warning_closed';
  readonly round?: number;
}

/** What happened at the bank, oldest first. */
export interface History {
  readonly title: string;
  readonly told: readonly Told[];
}

/** A chargeback as it stands at the bank. */
export interface Standing {
  readonly dispute: string;
  readonly status: 'open' | 'won' | 'lost';
}

export interface End {
  readonly chargebacks: readonly Standing[];
  /** What the disputes have taken together, minor units. */
  readonly taken: number;
}

/** An order in which a history arrives. */
export interface Case {
  readonly history: History;
  /** Places in the history, in the order of arrival. */
  readonly order: readonly number[];
  readonly isDoubled: boolean;
  /** Whether the clocks of the bank's systems differ by days. */
  readonly isSkewed: boolean;
  /** After which report the merchant answers, if the dispute takes an answer then. */
  readonly answersAfter?: number;
  /** What the merchant does then. */
  readonly answer: 'submit' | 'accept';
  /** Whether each chargeback is over here as soon as it was opened. */
  readonly isExpired: boolean;
}

const alert = (dispute: string, amount: number): Told => ({
  kind: 'dispute.alert',
  dispute,
  amount,
});
const opened = (dispute: string, amount: number, round?: number): Told => ({
  kind: 'dispute.opened',
  dispute,
  amount,
  ...(round !== undefined && { round }),
});
const closed = (dispute: string, outcome: Told['outcome'] & string, round?: number): Told => ({
  kind: 'dispute.closed',
  dispute,
  outcome,
  ...(round !== undefined && { round }),
});

/** Of a charge of 10,000. */
const HISTORIES: readonly History[] = [
  {
    title:
      'an alert that ended, a chargeback that was won, reopened and lost, and another chargeback',
    told: [
      alert('a', 6_000),
      closed('a', 'warning_closed'),
      opened('a', 6_000, 1),
      closed('a', 'won', 1),
      opened('a', 6_000, 2),
      closed('a', 'lost', 2),
      opened('b', 4_000, 1),
    ],
  },
  {
    title: 'an alert, a chargeback of the whole that was won, and another that was lost',
    told: [
      alert('a', 10_000),
      opened('a', 10_000),
      closed('a', 'won'),
      opened('b', 10_000),
      closed('b', 'lost'),
    ],
  },
  {
    title: 'an alert that ended, a chargeback that was won, and another that was lost',
    told: [
      alert('a', 6_000),
      closed('a', 'warning_closed'),
      opened('a', 6_000),
      closed('a', 'won'),
      opened('b', 4_000),
      closed('b', 'lost'),
    ],
  },
  {
    title: 'a chargeback that was lost, reopened and won, and another that was won',
    told: [
      opened('a', 6_000, 1),
      closed('a', 'lost', 1),
      opened('a', 6_000, 2),
      closed('a', 'won', 2),
      opened('b', 4_000, 1),
      closed('b', 'won', 1),
    ],
  },
  {
    title: 'an alert of another system, and a win that was reversed at once',
    told: [
      alert('other', 10_000),
      closed('other', 'warning_closed'),
      opened('a', 10_000, 1),
      closed('a', 'won', 1),
      closed('a', 'lost', 2),
    ],
  },
  {
    title: 'an alert, its chargeback that was lost, and another of the same amount that was won',
    told: [
      alert('a', 5_000),
      opened('a', 5_000),
      opened('b', 5_000),
      closed('b', 'won'),
      closed('a', 'lost'),
    ],
  },
  {
    title: 'the same with rounds, and lost again in the second',
    told: [
      alert('a', 5_000),
      opened('a', 5_000, 1),
      opened('b', 5_000, 1),
      closed('b', 'won', 1),
      opened('a', 5_000, 2),
      closed('a', 'lost', 2),
    ],
  },
  {
    title: 'a win that was reopened, and is not decided yet',
    told: [
      alert('a', 10_000),
      opened('a', 10_000, 1),
      closed('a', 'won', 1),
      opened('a', 10_000, 2),
    ],
  },
];

/** What the bank itself says at the end: it knows the order. */
export function endAtBank({ told }: History): End {
  const status = new Map<string, Standing['status']>();
  let taken = 0;
  const amounts = new Map<string, number>();
  for (const { kind, dispute, amount = 0, outcome } of told) {
    const before = status.get(dispute);
    if (kind === 'dispute.opened') {
      amounts.set(dispute, amount);
      if (before === undefined || before === 'won') taken += amount;
      status.set(dispute, 'open');
    } else if (outcome === 'won' || outcome === 'lost') {
      const whole = amounts.get(dispute) ?? 0;
      if (outcome === 'won' && before !== 'won') taken -= whole;
      if (outcome === 'lost' && before === 'won') taken += whole;
      status.set(dispute, outcome);
    }
  }
  const chargebacks = [...status].map(([dispute, each]) => ({ dispute, status: each }));
  return { chargebacks, taken };
}

/** Every order of every history, in turn with each kind of disturbance. */
export function everyCase(): readonly Case[] {
  return HISTORIES.flatMap((history) =>
    permutations(history.told.length).map((order, index) => disturbed(history, order, index)),
  );
}

/** Some of them, by the seed of the run. @param each how many of each history */
export function drawCases(each: number): readonly Case[] {
  return HISTORIES.flatMap((history) => {
    const places = history.told.map((_, place) => place);
    const orders = fc.shuffledSubarray(places, { minLength: places.length });
    return fc.sample(orders, each).map((order, index) => disturbed(history, order, index));
  });
}

function disturbed(history: History, order: readonly number[], index: number): Case {
  return {
    history,
    order,
    isDoubled: index % 2 === 1,
    isSkewed: index % 3 === 1,
    ...(index % 5 < 2 && { answersAfter: index % order.length }),
    answer: index % 5 === 0 ? 'submit' : 'accept',
    isExpired: index % 5 === 2,
  };
}

function permutations(length: number): readonly (readonly number[])[] {
  if (length === 0) return [[]];
  return permutations(length - 1).flatMap((shorter) =>
    Array.from({ length }, (_, place) => [
      ...shorter.slice(0, place),
      length - 1,
      ...shorter.slice(place),
    ]),
  );
}

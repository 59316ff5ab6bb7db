/** One thing that happens in a dispute at the bank. `over`: the alert ends without a chargeback. */
export interface Step {
  readonly what: 'alert' | 'opened' | 'won' | 'lost' | 'over';
  /** Absent: this system of the bank has no rounds, so that only times tell what is later. */
  readonly round?: 1 | 2;
}

/** What may happen to a charge. `isRenamed`: the chargeback has another reference than its alert. */
export interface Story {
  readonly steps: readonly Step[];
  readonly isRenamed?: true;
}

const alert: Step = { what: 'alert' };
const over: Step = { what: 'over' };
const opened = (round?: 1 | 2): Step => step('opened', round);
const won = (round?: 1 | 2): Step => step('won', round);
const lost = (round?: 1 | 2): Step => step('lost', round);

function step(what: Step['what'], round: 1 | 2 | undefined): Step {
  return { what, ...(round !== undefined && { round }) };
}

/** Each in the order in which it happens; the notices of it come in any order. */
export const STORIES: readonly Story[] = [
  { steps: [opened(), won()] },
  { steps: [opened(), lost()] },
  { steps: [opened()] },
  { steps: [opened(1), lost(1)] },
  { steps: [alert] },
  { steps: [alert, over] },
  { steps: [alert, opened(), lost()] },
  { steps: [alert, opened(1), won(1)] },
  { steps: [alert, opened(), won()], isRenamed: true },
  { steps: [opened(1), won(1), opened(2), lost(2)] },
  { steps: [opened(1), lost(1), opened(2), won(2)] },
  { steps: [opened(1), won(1), lost(2)] },
  { steps: [alert, over, opened(1), won(1), opened(2)] },
];

import type { Processor } from 'paymount/processor';
import { WatchedBank } from './watched-bank.ts';

type Operation = Parameters<Processor['authorize']>[0];
type Outcome = Awaited<ReturnType<Processor['authorize']>>;

/** A bank that says it moved another amount than it was asked to, when told to. */
export class DoubtfulBank extends WatchedBank {
  /** Added to the amount of every approval, minor units. */
  difference = 0;
  /** What every look-up answers; undefined: what the bank knows. */
  found: Outcome | 'not_found' | undefined;
  override readonly capabilities: Processor['capabilities'];

  constructor(clock: ConstructorParameters<typeof WatchedBank>[0], idempotentSubmit = true) {
    super(clock);
    this.capabilities = { ...new WatchedBank(clock).capabilities, idempotentSubmit };
  }

  override async authorize(operation: Operation): Promise<Outcome> {
    return this.#doubtful(await super.authorize(operation));
  }

  override async capture(operation: Operation): Promise<Outcome> {
    return this.#doubtful(await super.capture(operation));
  }

  override async cancel(operation: Operation): Promise<Outcome> {
    return this.#doubtful(await super.cancel(operation));
  }

  override async refund(operation: Operation): Promise<Outcome> {
    return this.#doubtful(await super.refund(operation));
  }

  override async lookup(...asked: Parameters<Processor['lookup']>): Promise<Outcome | 'not_found'> {
    const known = await super.lookup(...asked);
    return this.found ?? known;
  }

  #doubtful(outcome: Outcome): Outcome {
    return outcome.outcome === 'approved'
      ? { ...outcome, amount: outcome.amount + this.difference }
      : outcome;
  }
}

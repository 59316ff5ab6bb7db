import type { Clock } from '@paymount/core/kernel';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import type { Processor } from 'paymount/processor';

type Operation = Parameters<Processor['authorize']>[0];
type Outcome = Awaited<ReturnType<Processor['authorize']>>;

/** What becomes of an answer on its way: anything, as in an adapter without types. */
export type Mangle = (outcome: Outcome) => unknown;

/** A bank that decides as the sandbox does, behind an adapter that answers carelessly. */
export class SloppyBank extends SandboxProcessor {
  readonly #mangle: Mangle;

  constructor(
    memory: ConstructorParameters<typeof SandboxProcessor>[0]['memory'],
    clock: Clock,
    mangle: Mangle,
  ) {
    super({ memory, clock, silenceMs: 2_000 });
    this.#mangle = mangle;
  }

  override async authorize(operation: Operation): Promise<Outcome> {
    return this.#mangle(await super.authorize(operation)) as Outcome;
  }

  override async capture(operation: Operation): Promise<Outcome> {
    return this.#mangle(await super.capture(operation)) as Outcome;
  }

  override async cancel(operation: Operation): Promise<Outcome> {
    return this.#mangle(await super.cancel(operation)) as Outcome;
  }

  override async refund(operation: Operation): Promise<Outcome> {
    return this.#mangle(await super.refund(operation)) as Outcome;
  }

  override async lookup(...asked: Parameters<Processor['lookup']>): Promise<Outcome | 'not_found'> {
    const found = await super.lookup(...asked);
    return found === 'not_found' ? found : (this.#mangle(found) as Outcome);
  }
}

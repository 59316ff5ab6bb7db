import type { Asked } from './asked.ts';
import type { Everything } from './data-and-journal.ts';
import { groupBy } from './group-by.ts';

/** A charge, refund or payout that carries the name that somebody asked with. */
interface Made {
  readonly id: string;
  readonly status: string;
}

/** What may have become of a resource that was answered in some state. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  succeeded: ['succeeded'],
  failed: ['failed'],
  canceled: ['canceled'],
  authorized: ['authorized', 'succeeded', 'canceled'],
};

/** What callers were told is so: one thing for each name, or nothing where that was the answer. */
export function checkAnswers(all: Everything): readonly string[] {
  const charges = groupBy(all.charges, ({ order }) => order);
  const refunds = groupBy(all.refunds, ({ call }) => call);
  const payouts = groupBy(all.payouts, ({ call }) => call ?? '');
  const named: Readonly<Record<Asked['what'], ReadonlyMap<string, readonly Made[]>>> = {
    charge: charges,
    capture: charges,
    cancel: charges,
    refund: refunds,
    payout: payouts,
    answer: new Map(),
  };
  const returns = new Map(all.returns.map(({ call, refund }) => [call, refund]));
  return all.asked.flatMap((asked) =>
    asked.names.flatMap((name, index) => {
      const made = named[asked.what].get(name) ?? [];
      const found = checkAnswer(asked, made, index);
      // The host's row and the refund commit together.
      if (asked.what === 'refund' && asked.via === 'using' && returns.get(name) !== made[0]?.id) {
        found.push(`the host's row names ${returns.get(name) ?? 'none'}`);
      }
      return found.map((sentence) => `The ${asked.what} ${name} by ${asked.via}: ${sentence}.`);
    }),
  );
}

function checkAnswer(
  { answer, what, wasCut }: Asked,
  made: readonly Made[],
  index: number,
): string[] {
  if (answer === undefined) return ['nobody knows what became of it'];
  const shown = made.map(({ id, status }) => `${id} ${status}`).join(', ') || 'nothing';
  const isMaking = what === 'charge' || what === 'refund' || what === 'payout';
  switch (answer.verdict) {
    case 'done': {
      const later = LATER[answer.status ?? ''];
      const isOne = !isMaking || (made.length === 1 && made[0]?.id === answer.ids[index]);
      const isTrue = later === undefined || made.every(({ status }) => later.includes(status));
      const word = `${answer.ids[index]} ${answer.status ?? 'committed'}`;
      return isOne && isTrue ? [] : [`it was answered ${word}, and there is ${shown}`];
    }
    case 'failed':
      return !isMaking || (made.length === 1 && made[0]?.status === 'failed')
        ? []
        : [`it was answered ${answer.code}, and there is ${shown}`];
    case 'refused':
      return !isMaking || wasCut || made.length === 0
        ? []
        : [`it was refused with ${answer.code}, and there is ${shown}`];
    case 'rolled back':
      return made.length === 0 ? [] : [`it was rolled back, and there is ${shown}`];
  }
}

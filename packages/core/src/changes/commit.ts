import { PaymountError } from '../kernel/errors/paymount-error.ts';
import { AccessChangedError, type Change, ClaimedError } from './change.ts';
import type { ChangePlace, ChangeRepository } from './change-repository.ts';

const MAX_TRIES = 3;

/**
 * Commits the decision of a service. If another request changed the object first, it decides again
 * on the fresh row, at most three times.
 * @param decide loads, checks and computes; called again for every try
 * @throws ClaimedError when the idempotency key was claimed in the meantime
 * @throws AccessChangedError when the caller's credential changed in the meantime
 * @throws PaymountError `lock_timeout` when every try was raced
 */
export async function commit<Result, Of extends Change<unknown>>(
  changes: ChangeRepository<Of>,
  decide: () => Promise<{ readonly change: Of; readonly result: Result }>,
): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { change, result } = await decide();
    const applied = await changes.apply(change);
    if (applied === 'applied') return result;
    if (applied === 'claimed') throw new ClaimedError();
    if (applied === 'access_changed') throw new AccessChangedError();
  }
  throw new PaymountError('lock_timeout');
}

/**
 * Applies a change inside a transaction whose locks prevent races.
 * @param place `isLast` if every error ends the transaction
 * @throws ClaimedError when the idempotency key was claimed in the meantime
 * @throws AccessChangedError when the caller's credential changed in the meantime
 * @throws PaymountError `lock_timeout` if a row changed in spite of the lock
 */
export async function applyIn<Of extends Change<unknown>>(
  repositories: { readonly changes: ChangeRepository<Of> },
  change: Of,
  place?: ChangePlace,
): Promise<void> {
  const applied = await repositories.changes.apply(change, place);
  if (applied === 'claimed') throw new ClaimedError();
  if (applied === 'access_changed') throw new AccessChangedError();
  if (applied === 'raced') throw new PaymountError('lock_timeout');
}

/**
 * Whether `applyIn` threw because a row changed in spite of the lock. A lock that did not come in time
 * has the database's error as its cause.
 */
export function isRaced(error: unknown): boolean {
  return PaymountError.is(error) && error.code === 'lock_timeout' && error.cause === undefined;
}

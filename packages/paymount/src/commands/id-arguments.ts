import { usage } from '@paymount/cli';
import type { ExpungeRequestId } from '@paymount/core/expunging';
import {
  type AccountId,
  type BankAccountId,
  type DisputeId,
  type KeyId,
  type OperationId,
  parseId,
  type SettlementDifferenceId,
  type StoredNoticeId,
} from '@paymount/core/kernel';

// The messages do not repeat the argument: it may be a key.

/** @throws CommandFailure */
export function parseAccountId(text: string): AccountId {
  const id = parseId('acct', text);
  if (id !== undefined) return id;
  throw usage('Name the account by its id (acct_...), as `paymount accounts list` shows it.');
}

/** @throws CommandFailure */
export function parseKeyId(text: string): KeyId {
  const id = parseId('key', text);
  if (id !== undefined) return id;
  throw usage('Name the key by its id (key_...), as `paymount keys list` shows it.');
}

/** @throws CommandFailure */
export function parseOperationId(text: string): OperationId {
  const id = parseId('op', text);
  if (id !== undefined) return id;
  throw usage('Name the operation by its id (op_...), as `paymount operations list` shows it.');
}

/** @throws CommandFailure */
export function parseNoticeId(text: string): StoredNoticeId {
  const id = parseId('ntc', text);
  if (id !== undefined) return id;
  throw usage('Name the notice by its id (ntc_...), as `paymount notices list` shows it.');
}

/** @throws CommandFailure */
export function parseExpungeRequestId(text: string): ExpungeRequestId {
  const id = parseId('expr', text);
  if (id !== undefined) return id;
  throw usage('Name the request by its id (expr_...), as `paymount expunge list` shows it.');
}

/** @throws CommandFailure */
export function parseSettlementDifferenceId(text: string): SettlementDifferenceId {
  const id = parseId('sd', text);
  if (id !== undefined) return id;
  throw usage(
    'Name the difference by its id (sd_...), as `paymount settlement-differences list` shows it.',
  );
}

/** @throws CommandFailure */
export function parseDisputeId(text: string): DisputeId {
  const id = parseId('dp', text);
  if (id !== undefined) return id;
  throw usage('Name the dispute by its id (dp_...), as the API and notices show it.');
}

/** @throws CommandFailure */
export function parseBankAccountId(text: string): BankAccountId {
  const id = parseId('ba', text);
  if (id !== undefined) return id;
  throw usage(
    'Name the bank account by its id (ba_...), as `paymount bank-accounts list` shows it.',
  );
}

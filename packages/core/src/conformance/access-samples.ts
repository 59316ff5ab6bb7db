import { createHash } from 'node:crypto';
import type { Account } from '../access/accounts/account.ts';
import type { Key } from '../access/keys/key.ts';
import type { AuditEntry } from '../changes/audit/audit.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import { type AccountId, newId } from '../kernel/basics/id.ts';
import { AT } from './storage-samples.ts';

export function sampleAccount(): Account {
  return {
    id: newId('acct'),
    version: 1,
    name: 'Conformance',
    email: null,
    country: 'DE',
    defaultCurrency: 'eur',
    status: 'active',
    created: AT,
  };
}

/** A secret key with a unique hash. */
export function sampleKey(owner: Owner): Key {
  const id = newId('key');
  return {
    ...owner,
    id,
    version: 1,
    type: 'secret',
    name: 'Conformance',
    hash: createHash('sha256').update(id).digest(),
    redacted: 'redacted...a1B2',
    status: 'active',
    created: AT,
    createdBy: 'conformance',
  };
}

/** An entry about the creation of `target`. */
export function sampleAudit(accountId: AccountId, target: string): AuditEntry {
  return {
    actor: { type: 'admin', id: 'admin-1' },
    via: 'jwt',
    accountId,
    action: 'key.create',
    target,
    after: { name: 'Conformance', nested: { b: [1, null, 'é'], a: true } },
    created: AT,
  };
}

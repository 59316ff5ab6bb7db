import { createHash } from 'node:crypto';
import type { Account, Key } from '@paymount/core/access';
import type { AuditEntry } from '@paymount/core/changes';
import { type AccountId, newId, type Owner } from '@paymount/core/kernel';
import { AT } from '../samples.ts';

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

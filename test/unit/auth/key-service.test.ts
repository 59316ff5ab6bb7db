import { createHash } from 'node:crypto';
import { createKeyService, type NewKey } from '@paymount/auth';
import { type AccessWriter, type Account, type Key, newId, PaymountError } from '@paymount/core';
import { expect } from 'chai';
import { fakeClock } from '../../support/clock.ts';

const NOW = '2026-05-01T12:00:00.000Z';

/** Rows in memory; what PostgreSQL makes of them is shown in `test/auth`. */
class Rows implements AccessWriter {
  readonly accounts: Account[] = [];
  readonly keys: Key[] = [];

  async createAccount(account: Account): Promise<void> {
    this.accounts.push(account);
  }
  async findAccount(id: string): Promise<Account | undefined> {
    return this.accounts.find((account) => account.id === id);
  }
  async createKey(key: Key): Promise<void> {
    this.keys.push(key);
  }
  async revokeKey(): Promise<Key | undefined> {
    return undefined;
  }
  async listKeys(): Promise<readonly Key[]> {
    return this.keys;
  }
}

async function setUp() {
  const rows = new Rows();
  const service = createKeyService({ keys: rows, clock: fakeClock(NOW) });
  const account = await service.createAccount({
    name: ' Café Noir ',
    country: 'DE',
    defaultCurrency: 'eur',
  });
  return { rows, service, account };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (PaymountError.is(error)) return `${error.code} ${error.param ?? ''}: ${error.message}`;
    throw error;
  }
  return 'nothing was thrown';
}

describe('the key service', () => {
  it('makes an account', async () => {
    const { rows, account } = await setUp();
    expect(account).to.deep.equal({
      id: account.id,
      name: 'Café Noir',
      email: null,
      country: 'DE',
      defaultCurrency: 'eur',
      status: 'active',
      created: new Date(NOW),
    });
    expect(account.id).to.match(/^acct_[0-9a-z]{26}$/);
    expect(rows.accounts).to.deep.equal([account]);
  });

  it('gives a secret key once and stores its hash only', async () => {
    const { rows, service, account } = await setUp();
    const { key, secret } = await service.createKey({
      accountId: account.id,
      environment: 'live',
      type: 'secret',
      name: 'Server',
      createdBy: 'cli',
    });
    expect(secret).to.match(/^sk_live_pm[0-9A-Za-z]{38}$/);
    expect(key).to.deep.equal({
      id: key.id,
      accountId: account.id,
      environment: 'live',
      type: 'secret',
      name: 'Server',
      hash: createHash('sha256').update(secret).digest(),
      redacted: `sk_live_pm...${secret.slice(-4)}`,
      status: 'active',
      created: new Date(NOW),
      createdBy: 'cli',
    });
    expect(JSON.stringify(rows.keys)).not.to.contain(secret);
  });

  it('keeps a publishable key readable, and the scopes of a restricted one', async () => {
    const { service, account } = await setUp();
    const base = {
      accountId: account.id,
      environment: 'test',
      name: 'Shop',
      createdBy: 'cli',
    } as const;
    const publishable = await service.createKey({ ...base, type: 'publishable' });
    expect(publishable.key.publicValue).to.equal(publishable.secret);
    expect(publishable.secret).to.match(/^pk_test_pm/);
    const restricted = await service.createKey({
      ...base,
      type: 'restricted',
      scopes: ['webhooks:write', 'charges:read', 'webhooks:write'],
      expiresAt: new Date('2026-05-01T12:00:00.001Z'),
    });
    expect(restricted.secret).to.match(/^rk_test_pm/);
    expect(restricted.key.scopes).to.deep.equal(['charges:read', 'webhooks:write']);
    expect(restricted.key.expiresAt).to.deep.equal(new Date('2026-05-01T12:00:00.001Z'));
    expect(restricted.key.publicValue).to.equal(undefined);
  });

  it('refuses what is no account and no key, naming the parameter', async () => {
    const { rows, service, account } = await setUp();
    const key: NewKey = {
      accountId: account.id,
      environment: 'test',
      type: 'secret',
      name: 'Server',
      createdBy: 'cli',
    };
    const accountInput = { name: 'Café', country: 'DE', defaultCurrency: 'eur' };
    for (const [work, expected] of [
      [
        service.createAccount({ ...accountInput, name: ' ' }),
        'parameter_invalid name: A name has 1 to 200 characters.',
      ],
      [
        service.createAccount({ ...accountInput, country: 'de' }),
        'parameter_invalid country: A country is two upper-case letters, such as DE.',
      ],
      [
        service.createAccount({ ...accountInput, defaultCurrency: 'EUR' }),
        'parameter_invalid default_currency: A currency is three lower-case letters, such as eur.',
      ],
      [
        service.createAccount({ ...accountInput, email: 'nobody' }),
        'parameter_invalid email: This is no e-mail address.',
      ],
      [
        service.createKey({ ...key, name: 'x'.repeat(101) }),
        'parameter_invalid name: A name has 1 to 100 characters.',
      ],
      [
        service.createKey({ ...key, expiresAt: new Date(NOW) }),
        'parameter_invalid expires_at: A key must expire later than now.',
      ],
      [
        service.createKey({ ...key, expiresAt: new Date(Number.NaN) }),
        'parameter_invalid expires_at: A key must expire later than now.',
      ],
      [
        service.createKey({ ...key, type: 'restricted', scopes: [] }),
        'parameter_invalid scopes: A restricted key has at least one scope.',
      ],
    ] as const) {
      expect(await refusal(work)).to.equal(expected);
    }
    const stranger = newId('acct');
    expect(await refusal(service.createKey({ ...key, accountId: stranger }))).to.equal(
      `resource_missing : No such account: ${stranger}.`,
    );
    const gone = newId('key');
    expect(await refusal(service.revokeKey(gone, 'owner'))).to.equal(
      `resource_missing : No such key: ${gone}.`,
    );
    expect([rows.accounts.length, rows.keys.length]).to.deep.equal([1, 0]);
  });
});

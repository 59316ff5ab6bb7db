import type { IncomingMessage } from 'node:http';
import { currentHostUser, type HostUser, type HostUserAccount } from '@paymount/auth';
import { expect } from 'chai';

const ACCOUNT = 'acct_01m8f6ep76e46svp8na5e23fbm';
const AUTH_TIME = new Date('2026-11-21T12:00:00Z');

/** As the models of a database library are: nothing is a property of the object itself. */
class ModelOfAccount implements HostUserAccount {
  get id() {
    return ACCOUNT;
  }
  get name() {
    return 'Shop\nadmin';
  }
  get role() {
    return 'owner' as const;
  }
}
class ModelOfUser implements HostUser {
  get userId() {
    return 'user-1';
  }
  get displayName() {
    return 'Ada\u202e Merchant';
  }
  get sessionRef() {
    return 's1';
  }
  get authTime() {
    return AUTH_TIME;
  }
  get accounts() {
    return [new ModelOfAccount()];
  }
}

describe('The user that the host says is logged in', () => {
  it('may be an instance of a class, and is named on one line', async () => {
    const identity = { current: async () => new ModelOfUser(), loginUrl: () => '/login' };
    expect(await currentHostUser(identity, {} as IncomingMessage)).to.deep.equal({
      userId: 'user-1',
      displayName: 'Ada  Merchant',
      sessionRef: 's1',
      authTime: AUTH_TIME,
      accounts: [{ id: ACCOUNT, name: 'Shop admin', role: 'owner' }],
    });
  });
});

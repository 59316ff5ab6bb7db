import type { Call } from '../../kernel/callers/principal.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { PayoutAccount } from './payout-account.ts';
import type { PayoutStorage } from './payout-storage.ts';

/** An account, for the keys of that account. */
export class OwnAccountService {
  readonly #storage: PayoutStorage;

  constructor(ports: { readonly storage: PayoutStorage }) {
    this.#storage = ports.storage;
  }

  /** @param id as it was sent @throws PaymountError `resource_missing` for any other account */
  async retrieve(call: Call, id: string = call.principal.accountId): Promise<PayoutAccount> {
    this.assertOwn(call, id);
    const account = await this.#storage.read.payoutAccounts.find(call.principal.accountId);
    if (account === undefined) throw missing('account', id);
    return account;
  }

  /** @throws PaymountError `resource_missing` if a path names another account than the key's */
  assertOwn({ principal }: Call, id: string): void {
    if (id !== principal.accountId) throw missing('account', id);
  }
}

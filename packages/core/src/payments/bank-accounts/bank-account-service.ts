import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { type BankAccountId, newId } from '../../kernel/basics/id.ts';
import { auditContextFor, credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { TokenWrite } from '../payment-methods/payment-method-storage.ts';
import type { Processor } from '../processor/processor.ts';
import { type BankAccount, deleted, type LiveBankAccount, numberContext } from './bank-account.ts';
import { bankAccountAudit } from './bank-account-audit.ts';
import { type CheckedBankAccount, toCheckedBankAccount } from './bank-account-creation.ts';
import type { ExternalAccountCreate, ExternalAccountUpdate } from './bank-account-input.ts';
import { type DestinationNews, destinationMail } from './bank-account-mail.ts';
import { toBankAccountResource, toDeletedBankAccountResource } from './bank-account-resource.ts';
import type { BankAccountRepositories, BankAccountStorage } from './bank-account-storage.ts';
import { confirmBankAccount } from './confirm-bank-account.ts';
import { holdFrom } from './held-destination.ts';
import { type OpenedToken, openBankToken } from './open-bank-token.ts';
import { restoreBankAccount } from './restore-bank-account.ts';

const NAME = { noun: 'bank account', prefix: 'ba' } as const;
const MAX_BANK_ACCOUNTS = 50;

export interface BankAccountPorts {
  readonly storage: BankAccountStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** A keyed hash of an account number: equal for equal numbers, and useless without the key. */
  readonly fingerprintNumber: (accountNumber: string) => string;
}

/** Where an account's payouts go. A number is stored sealed, and never shown again. */
export class BankAccountService {
  readonly #ports: BankAccountPorts;

  constructor(ports: BankAccountPorts) {
    this.#ports = ports;
  }

  /**
   * Adds a bank account. The first one of a currency is its default.
   * @throws PaymountError `operation_not_supported`, `routing_number_invalid`,
   *   `test_number_required`, `parameter_missing`, `parameter_invalid`, `resource_missing`,
   *   `token_already_used`, `processor_error`, `bank_account_limit_reached`, `sealing_keys_missing`, `unavailable`
   */
  async create(call: Call, input: ExternalAccountCreate): Promise<LiveBankAccount> {
    const metadata = mergeMetadata({}, input.metadata);
    const token = await this.#openToken(call, input);
    const checked = await this.#check(call, token ?? input.external_account);
    const id = newId('ba');
    const { environment } = call.principal;
    const number = await this.#ports.sealer.seal(
      checked.accountNumber,
      numberContext(id),
      environment,
    );
    return this.#ports.storage.transaction(async (rows) => {
      const others = await rows.bankAccounts.lockAll(ownerOf(call));
      if (others.length >= MAX_BANK_ACCOUNTS) throw new PaymountError('bank_account_limit_reached');
      const former = defaultOf(others, checked.currency);
      const isDefault = input.default_for_currency === true || former === undefined;
      const at = this.#ports.clock.now();
      const account: LiveBankAccount = {
        ...this.#facts(call, checked, token?.holder ?? toHolder(input)),
        id,
        isDefault,
        heldUntil: await this.#hold(rows, call, at),
        status: 'new',
        number,
        metadata,
      };
      if (isDefault && former) await this.#replaceDefault(rows, call, former);
      const uses = token ? [{ kind: 'token', mode: 'update', row: token.row } as const] : [];
      const news = former === undefined ? 'first' : 'added';
      await this.#write(rows, call, { action: 'create', row: account, news }, uses);
      return account;
    });
  }

  /** A deleted one too. @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<BankAccount> {
    const { bankAccounts } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (each) => bankAccounts.find(ownerOf(call), each));
  }

  /** The bank accounts of `ids`, deleted ones too, in no order; unknown ids are left out. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly BankAccount[]> {
    return this.#ports.storage.read.bankAccounts.findMany(ownerOf(call), idsAmong('ba', ids));
  }

  /** Newest first, without deleted ones. @throws PaymountError `invalid_cursor` */
  async list(
    call: Call,
    filter: { readonly created?: CreatedFilter },
    page: PageRequest,
  ): Promise<Page<LiveBankAccount>> {
    return this.#ports.storage.read.bankAccounts.list(ownerOf(call), filter, page);
  }

  /**
   * Changes metadata, the holder's name, or the default of the currency.
   * @throws PaymountError `resource_missing`, also for a deleted one, `metadata_limit_exceeded`,
   *   `parameter_invalid` for `default_for_currency=false` of the default
   */
  async update(call: Call, id: string, input: ExternalAccountUpdate): Promise<LiveBankAccount> {
    return this.#ports.storage.transaction(async (rows) => {
      const all = await rows.bankAccounts.lockAll(ownerOf(call));
      const account = requireLive(all, id);
      const asked = input.default_for_currency;
      if (asked === false && account.isDefault) {
        const message = `Bank account ${account.id} is the default of ${account.currency}; make another one the default instead.`;
        throw new PaymountError('parameter_invalid', message, { param: 'default_for_currency' });
      }
      const former = defaultOf(all, account.currency);
      if (asked === true && former && former.id !== account.id) {
        await this.#replaceDefault(rows, call, former);
      }
      const becomesDefault = asked === true && !account.isDefault;
      const held = becomesDefault
        ? await this.#hold(rows, call, this.#ports.clock.now())
        : account.heldUntil;
      const row: LiveBankAccount = {
        ...account,
        version: account.version + 1,
        isDefault: account.isDefault || asked === true,
        heldUntil: held,
        accountHolderName: input.account_holder_name ?? account.accountHolderName,
        metadata: mergeMetadata(account.metadata, input.metadata),
      };
      const news = becomesDefault ? 'default' : undefined;
      await this.#write(rows, call, { action: 'update', before: account, row, news });
      return row;
    });
  }

  /**
   * Deletes the number of a bank account, for good; the id stays, because payouts refer to it.
   * @throws PaymountError `resource_missing`, also for a deleted one, `status_transition_invalid`
   *   while a payout there is not finished, or if it is the default of others
   */
  async delete(call: Call, id: string): Promise<BankAccount> {
    return this.#ports.storage.transaction(async (rows) => {
      const all = await rows.bankAccounts.lockAll(ownerOf(call));
      const account = requireLive(all, id);
      const others = all.filter(({ currency }) => currency === account.currency);
      if (account.isDefault && others.length > 1) {
        throw new PaymountError(
          'status_transition_invalid',
          `Bank account ${account.id} is the default of ${account.currency}; make another one the default first.`,
        );
      }
      const unfinished = await rows.payouts.findUnfinishedTo(account, account.id);
      if (unfinished) {
        throw new PaymountError(
          'status_transition_invalid',
          `Payout ${unfinished.id} to bank account ${account.id} is ${unfinished.status}; wait until it is paid, or cancel it.`,
        );
      }
      const row = deleted(account, this.#ports.clock.now());
      await this.#write(rows, call, { action: 'delete', before: account, row });
      return row;
    });
  }

  /** Ends the hold of a bank account, as `confirmBankAccount`. @throws PaymountError `resource_missing` */
  confirm(
    call: Call,
    id: BankAccountId,
    given: { readonly reason?: string } = {},
  ): Promise<LiveBankAccount> {
    return confirmBankAccount(this.#ports, call, id, given);
  }

  /**
   * Lets payouts go to a bank account again that a bank had refused, and makes its schedule due.
   * @throws PaymountError `resource_missing`, `status_transition_invalid` unless it is `errored`
   */
  restore(call: Call, id: BankAccountId): Promise<LiveBankAccount> {
    return restoreBankAccount(this.#ports, call, id);
  }

  async #openToken(call: Call, input: ExternalAccountCreate): Promise<OpenedToken | undefined> {
    const { external_account: sent } = input;
    if (typeof sent !== 'string') return undefined;
    const { storage, sealer, clock } = this.#ports;
    const found = { owner: ownerOf(call), at: clock.now(), param: 'external_account' };
    return openBankToken({ read: storage.read, sealer }, sent, found);
  }

  async #check(
    call: Call,
    sent: ExternalAccountCreate['external_account'] | OpenedToken,
  ): Promise<CheckedBankAccount> {
    const { storage, processors } = this.#ports;
    const { environment, accountId } = call.principal;
    if (storage.host !== undefined) {
      throw new PaymountError(
        'operation_not_supported',
        'A processor cannot be called inside a transaction: add the bank account before it.',
      );
    }
    const account = await storage.read.payoutAccounts.find(accountId);
    if (account === undefined) throw missing('account', accountId);
    const { defaultCurrency } = account;
    return toCheckedBankAccount(processors[environment], sent, {
      environment,
      defaultCurrency,
    });
  }

  #facts(call: Call, checked: CheckedBankAccount, holder: Holder) {
    return {
      ...ownerOf(call),
      version: 1,
      bankName: checked.bankName || null,
      last4: checked.last4,
      routingNumber: checked.routingNumber,
      fingerprint: this.#ports.fingerprintNumber(
        [checked.country, checked.routingNumber ?? '', checked.accountNumber].join(' '),
      ),
      country: checked.country,
      currency: checked.currency,
      accountHolderName: holder.accountHolderName,
      accountHolderType: holder.accountHolderType,
      created: this.#ports.clock.now(),
      createdBy: makerOf(call),
    };
  }

  async #hold(rows: BankAccountRepositories, call: Call, at: Date): Promise<Date | null> {
    const { accountId, environment } = call.principal;
    const account = await rows.payoutAccounts.find(accountId);
    return holdFrom(at, environment, account ?? { holdsDestinations: true });
  }

  /** Before the next default is written: a unique index allows one. */
  async #replaceDefault(
    rows: BankAccountRepositories,
    call: Call,
    former: LiveBankAccount,
  ): Promise<void> {
    const at = this.#ports.clock.now();
    const row = { ...former, version: former.version + 1, isDefault: false };
    const audited = { action: 'update', before: former, after: row, at } as const;
    await applyIn(rows, {
      ...ownerOf(call),
      at,
      writes: [{ kind: 'bank_account', mode: 'update', row }],
      ...bankAccountAudit(auditContextFor(call), audited),
    });
  }

  async #write(
    rows: BankAccountRepositories,
    call: Call,
    { action, before, row, news }: BankAccountMove,
    others: readonly TokenWrite[] = [],
  ): Promise<void> {
    const at = this.#ports.clock.now();
    const by = auditContextFor(call);
    const mode = action === 'create' ? 'insert' : 'update';
    const isTold = news !== undefined && row.status !== 'deleted' && row.environment === 'live';
    const answer =
      row.status === 'deleted' ? toDeletedBankAccountResource(row) : toBankAccountResource(row);
    await applyIn(rows, {
      ...ownerOf(call),
      at,
      writes: [{ kind: 'bank_account', mode, row }, ...others],
      ...bankAccountAudit(by, { action, ...(before && { before }), after: row, at }),
      ...(isTold && { mails: [destinationMail(row, news, by, at)] }),
      ...credentialSnapshotFor(call),
      ...resourceFields(call, answer),
    });
  }
}

/** A change of a bank account. */
interface BankAccountMove {
  readonly action: 'create' | 'update' | 'delete';
  readonly before?: BankAccount;
  readonly row: BankAccount;
  /** What the owner is e-mailed about, in live. */
  readonly news?: DestinationNews | undefined;
}

type Holder = Pick<LiveBankAccount, 'accountHolderName' | 'accountHolderType'>;

function toHolder({ external_account: sent }: ExternalAccountCreate): Holder {
  const holder = typeof sent === 'string' ? undefined : sent;
  return {
    accountHolderName: holder?.account_holder_name ?? null,
    accountHolderType: holder?.account_holder_type ?? null,
  };
}

function defaultOf(
  accounts: readonly LiveBankAccount[],
  currency: string,
): LiveBankAccount | undefined {
  return accounts.find((each) => each.isDefault && each.currency === currency);
}

function requireLive(accounts: readonly LiveBankAccount[], id: string): LiveBankAccount {
  const found = accounts.find((each) => each.id === id);
  if (found === undefined) throw missing(NAME.noun, id);
  return found;
}

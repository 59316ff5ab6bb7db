import { requireOwnKeys } from '@paymount/auth';
import { expect } from 'chai';
import { type PlantedTree, plantTree, ROOT } from '../support/planted-tree.ts';

const LIMIT_MS = 120_000;
const IMPORTS = `import type {
  Account, Acting, ApiKey, HostHook, NewApiKey, Paymount, PaymountOptions,
} from 'paymount';
import { PaymountError } from 'paymount';
import type { WebhookEvent } from 'paymount/receiver';
declare const paymount: Paymount;
declare const acting: Acting;
declare const event: WebhookEvent;
export {};
`;

/** What a host may write: the compiler says nothing. */
const RIGHT: Readonly<Record<string, string>> = {
  'the documented parameters of every call': `
    await paymount.charges.create({ ...acting, idempotencyKey: 'k' }, {
      amount: 4200, currency: 'eur', payment_method: 'pm_card_visa', capture: false,
      metadata: { order: 'o_1' }, shipping: { name: 'Ada', address: { city: 'Kiel' } },
    });
    await paymount.charges.update(acting, 'ch_1', { description: '', metadata: '' });
    await paymount.charges.capture(acting, 'ch_1', { amount: 1 });
    await paymount.charges.list(acting, { limit: 3, status: 'pending', created: { gte: 0 } });
    await paymount.refunds.create(acting, { charge: 'ch_1', reason: 'duplicate' });
    await paymount.refunds.list(acting, { charge: 'ch_1' });
    await paymount.paymentMethods.create(acting, { type: 'card', card: { token: 'tok_visa' } });
    const events = ['charge.*', 'payout.failed'] as const;
    await paymount.webhookEndpoints.create(acting, { url: 'https://example.com', enabled_events: events });
    const facts = { name: 'Tea', country: 'DE', default_currency: 'eur' };
    const account: Account = await paymount.accounts.create(facts, { idempotencyKey: 'k' });
    await paymount.accounts.update(account.id, { name: 'Coffee', email: null });
    await paymount.charges.retrieve({ account: account.id, environment: 'test' }, 'ch_1');
    (await paymount.accounts.list({ status: 'suspended', limit: 1 })).data[0]?.suspended_at;
    const { secret, ...key }: NewApiKey = await paymount.keys.create({
      account: account.id, livemode: false, type: 'restricted', name: 'Reports',
      scopes: ['charges:read'], allowed_ips: ['192.0.2.1'], expires_at: '2030-01-01T00:00:00Z',
    });
    const keys: readonly ApiKey[] = (await paymount.keys.list({ livemode: true })).data;
    await paymount.keys.update(key.id, { allowed_ips: null, confirm_lockout: true });
    const by = { actor: { type: 'admin', id: 'ann' }, via: 'session' } as const;
    const next: string = (await paymount.keys.rotate(key.id, { overlap_seconds: 60 }, { by })).secret;
    await paymount.keys.revoke(key.id, { reason: 'leak' }, { by, idempotencyKey: 'k' });
    void [secret, keys, next];`,
  'resources in snake_case, from calls and in a hook': `
    const charge = await paymount.charges.retrieve(acting, 'ch_1');
    const cents: number = charge.amount_refunded;
    const brand: string | undefined = charge.payment_method_details.card?.brand;
    const page: boolean = (await paymount.charges.list(acting)).has_more;
    const hook: HostHook = async (_, settled) => {
      if (settled.kind === 'payout') return void settled.payout.arrival_date;
      const { account, environment, charge: { amount_captured } } = settled;
      if (settled.kind === 'refund') settled.refund.balance_transaction?.length;
      await paymount.refunds.list({ account, environment }, { limit: amount_captured });
    };
    const fees: PaymountOptions['fees'] = ({ amount_refunded }, captured, account) => ({
      amount: Math.min(captured, amount_refunded + account.length), details: [],
    });
    void [cents, brand, page, hook, fees];`,
  'errors by type, code and status': `
    try {
      await paymount.charges.cancel(acting, 'ch_1');
    } catch (error) {
      if (!PaymountError.is(error)) throw error;
      const status: number = error.status;
      if (error.type === 'card_error' && error.code === 'card_declined') void status;
    }`,
  'events whose type says what their object is': `
    switch (event.type) {
      case 'charge.refunded':
        event.data.object.amount_refunded.toFixed();
        break;
      case 'payout.failed':
        event.data.object.arrival_date.length;
        break;
      case 'dispute.created':
        event.data.object.evidence_details.due_by.length;
        break;
      case 'subscription.renewed':
        event.data.object.items.data[0]?.price.unit_amount;
        break;
      default:
        event.data.object.livemode;
    }`,
  'the line that an error about sealing keys tells them to paste': `
    const pasted: PaymountOptions = { database: '', ${advisedSealingKeys()} };
    void pasted;`,
};

function advisedSealingKeys(): string {
  try {
    requireOwnKeys({ generated: true });
  } catch (error) {
    return /sealingKeys: \[.*?\}\]/.exec(String(error))?.[0] ?? '';
  }
  return '';
}

/** One wrong line each, with the name that the compiler's complaint must hold. */
const WRONG: Readonly<Record<string, readonly [code: string, complaint: string]>> = {
  'a misspelled parameter': [
    "await paymount.charges.create(acting, { amount: 1, currency: 'eur', paymentMethod: 'pm_1' });",
    "'paymentMethod' does not exist",
  ],
  'a missing parameter': [
    'await paymount.charges.create(acting, { amount: 1 });',
    "Property 'currency' is missing",
  ],
  'a parameter of another type': [
    "await paymount.charges.create(acting, { amount: '1', currency: 'eur' });",
    "Type 'string' is not assignable to type 'number'",
  ],
  'a nested parameter': [
    "await paymount.charges.update(acting, 'ch_1', { shipping: { name: 'A', address: { town: 'B' } } });",
    "'town' does not exist",
  ],
  'a reason of refunds that is none': [
    "await paymount.refunds.create(acting, { charge: 'ch_1', reason: 'other' });",
    `Type '"other"' is not assignable`,
  ],
  'a card with neither token nor number': [
    "await paymount.paymentMethods.create(acting, { type: 'card', card: { exp_month: 1 } });",
    "Type '{ exp_month: number; }' is not assignable",
  ],
  'an event type that is none': [
    "await paymount.webhookEndpoints.create(acting, { url: '', enabled_events: ['charge.paid'] });",
    `Type '"charge.paid"' is not assignable`,
  ],
  'a filter that lists do not have': [
    "await paymount.charges.list(acting, { invoice: 'in_1' });",
    "'invoice' does not exist",
  ],
  'an account in camelCase': [
    "await paymount.accounts.create({ name: 'Tea', country: 'DE', defaultCurrency: 'eur' });",
    "'defaultCurrency' does not exist",
  ],
  'a key of an environment by name': [
    "await paymount.keys.create({ account: '', environment: 'test', type: 'secret', name: '' });",
    "'environment' does not exist",
  ],
  'addresses of a key in camelCase': [
    "await paymount.keys.update('key_1', { allowedIps: null });",
    "'allowedIps' does not exist",
  ],
  'a reason without its name': [
    "await paymount.keys.revoke('key_1', 'leak');",
    `Type '"leak"' has no properties in common`,
  ],
  'a field of a key in camelCase': [
    "(await paymount.keys.retrieve('key_1')).lastUsedAt;",
    "Property 'lastUsedAt' does not exist",
  ],
  'an option that calls do not have': [
    "await paymount.accounts.suspend('acct_1', { idempotency_key: 'k' });",
    "'idempotency_key' does not exist",
  ],
  'whom to act for without an environment': [
    "await paymount.charges.retrieve({ account: acting.account }, 'ch_1');",
    "Property 'environment' is missing",
  ],
  'a field of a charge in camelCase': [
    'export const hook: HostHook = async (_, settled) => void (settled.kind === "charge" && settled.charge.amountRefunded);',
    "Property 'amountRefunded' does not exist",
  ],
  'the refund of a result that is a charge': [
    'export const hook: HostHook = async (_, settled) => void settled.refund;',
    "Property 'refund' does not exist",
  ],
  'a code of errors that is none': [
    "if (new PaymountError('card_declined').code === 'declined') await 0;",
    'have no overlap',
  ],
  'a field of another event': [
    "if (event.type === 'charge.failed') event.data.object.arrival_date;",
    "Property 'arrival_date' does not exist",
  ],
  'an event type that is not in the catalogue': [
    "if (event.type === 'charge.paid') await 0;",
    'have no overlap',
  ],
};

describe('the types that hosts compile against', () => {
  let tree: PlantedTree;
  let said: readonly string[];

  before(async function () {
    this.timeout(LIMIT_MS);
    const right = Object.values(RIGHT).map((code, at) => [`right-${at}.ts`, IMPORTS + code]);
    const wrong = Object.values(WRONG).map(([code], at) => [`wrong-${at}.ts`, IMPORTS + code]);
    const options = {
      composite: false,
      noEmit: true,
      declaration: false,
      declarationMap: false,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      types: ['node'],
      noUnusedLocals: false,
    };
    const project = {
      extends: './tsconfig.base.json',
      compilerOptions: options,
      include: ['*.ts'],
    };
    tree = await plantTree(
      {
        ...Object.fromEntries([...right, ...wrong]),
        'tsconfig.json': JSON.stringify(project),
        'package.json': '{"type":"module"}',
      },
      ['tsconfig.base.json'],
      { node_modules: `${ROOT}node_modules` },
    );
    said = (await tree.run('tsc', '-p', '.', '--pretty', 'false')).split('\n');
  });
  after(() => tree.remove());

  const complaints = (file: string) => said.filter((line) => line.startsWith(`${file}(`));

  for (const [at, name] of Object.keys(RIGHT).entries()) {
    it(`take ${name}`, () => expect(complaints(`right-${at}.ts`)).to.deep.equal([]));
  }

  for (const [at, [name, [, complaint]]] of Object.entries(WRONG).entries()) {
    it(`refuse ${name}`, () => {
      const [found = '', ...others] = complaints(`wrong-${at}.ts`);
      expect(others).to.deep.equal([]);
      // What the compiler says goes on in lines that are set in.
      const first = said.indexOf(found);
      const next = said.findIndex((line, index) => index > first && !line.startsWith(' '));
      expect(said.slice(first, next).join('\n')).to.include(complaint);
    });
  }
});

import { toStoredResponse } from '@paymount/core/changes';
import { type Call, newId } from '@paymount/core/kernel';
import type { BalanceTransaction } from '@paymount/core/ledger';
import { type PaymentMethod, type Refund, toChargeResource } from '@paymount/core/payments';
import { expect } from 'chai';
import { ask, postForm } from '../../support/ask.ts';
import {
  ACCOUNT,
  buildCharge,
  CARD,
  type MountedApi,
  mountApi,
  toPrincipal,
} from './mounted-api.ts';

const CREATED = new Date('2026-11-21T09:30:00.000Z');
const OWNER = { accountId: ACCOUNT, environment: 'test' } as const;
const charge = buildCharge({});

describe('a list', () => {
  let mounted: MountedApi;
  const list = (query: string) => ask(`${mounted.url}/v1/charges?${query}`);
  before(async () => {
    mounted = await mountApi({
      services: {
        charges: {
          list: async (_: unknown, filter: unknown, page: unknown) => {
            mounted.asked.push({ method: 'list', filter, page });
            return { data: [charge], hasMore: true };
          },
        },
      },
    });
  });
  after(() => mounted.close());
  beforeEach(() => {
    mounted.asked.length = 0;
  });

  it('has the shape of every list, and ten items by default', async () => {
    const reply = await list('');
    expect(reply.json).to.deep.include({ object: 'list', url: '/v1/charges', has_more: true });
    expect((reply.json['data'] as { id: string }[]).map(({ id }) => id)).to.deep.equal([charge.id]);
    expect(mounted.asked).to.deep.equal([{ method: 'list', filter: {}, page: { limit: 10 } }]);
  });

  it('pages by ids, in one direction at a time', async () => {
    await list('limit=100&starting_after=ch_1');
    await list('ending_before=ch_2');
    expect(mounted.asked.map(({ page }) => page)).to.deep.equal([
      { limit: 100, startingAfter: 'ch_1' },
      { limit: 10, endingBefore: 'ch_2' },
    ]);
    const both = await list('starting_after=ch_1&ending_before=ch_2');
    expect(both.error).to.include({ code: 'parameters_exclusive', param: 'ending_before' });
  });

  it('filters by time in unix seconds, each as a whole, or ISO 8601', async () => {
    await list('created[gt]=0&created[lte]=2026-11-21T10:30:00%2B01:00');
    await list('created=1795253400');
    await list('created=2026-11-21T09:30:00.000Z');
    expect(mounted.asked.map(({ filter }) => filter)).to.deep.equal([
      { created: { gt: new Date(999), lte: CREATED } },
      { created: { gte: CREATED, lt: new Date('2026-11-21T09:30:01.000Z') } },
      { created: { gte: CREATED, lte: CREATED } },
    ]);
  });

  it('refuses what it cannot take, naming it', async () => {
    const cases: Record<string, [string, string]> = {
      'limit=0': ['parameter_invalid', 'limit'],
      'limit=101': ['parameter_invalid', 'limit'],
      'limit=1000000': ['parameter_invalid', 'limit'],
      'limit=-1': ['parameter_invalid', 'limit'],
      'limit=1e2': ['parameter_invalid_integer', 'limit'],
      'limit=ten': ['parameter_invalid_integer', 'limit'],
      'limit=1&limit=2': ['parameter_duplicate', 'limit'],
      'limit=': ['parameter_invalid_empty', 'limit'],
      'starting_after=': ['parameter_invalid_empty', 'starting_after'],
      'status=paid': ['parameter_invalid', 'status'],
      'order=id%20desc;drop': ['parameter_unknown', 'order'],
      'created[ge]=1': ['parameter_unknown', 'created[ge]'],
      'created[gt]=yesterday': ['parameter_invalid', 'created[gt]'],
      'created[gt]=99999999999999': ['parameter_invalid', 'created[gt]'],
      'created=2026-13-40T00:00:00Z': ['parameter_invalid', 'created'],
      'created[gt]=1&created[gt]=2': ['parameter_duplicate', 'created[gt]'],
    };
    for (const [query, [code, param]] of Object.entries(cases)) {
      const reply = await list(query);
      expect(reply.status, query).to.equal(400);
      expect({ query, code: reply.error['code'], param: reply.error['param'] }).to.deep.equal({
        query,
        code,
        param,
      });
    }
    expect(mounted.asked).to.deep.equal([]);
  });
});

describe('expand', () => {
  const method: PaymentMethod = {
    ...OWNER,
    id: charge.paymentMethodId,
    version: 1,
    type: 'card',
    card: CARD,
    processorToken: 'p_1',
    billingDetails: { name: null, email: null, phone: null, address: null },
    metadata: {},
    use: { state: 'unattached' },
    created: CREATED,
  };
  const transactionId = newId('txn');
  const refund: Refund = {
    ...OWNER,
    id: newId('re'),
    version: 1,
    chargeId: charge.id,
    amount: 1,
    currency: 'eur',
    reason: null,
    balanceTransactionId: transactionId,
    metadata: {},
    created: CREATED,
    status: 'succeeded',
  };
  const transaction: BalanceTransaction = {
    ...OWNER,
    id: transactionId,
    type: 'refund',
    sourceId: refund.id,
    amount: -1n,
    fee: 0n,
    feeDetails: [],
    currency: 'eur',
    status: 'pending',
    availableOn: CREATED,
    created: CREATED,
  };
  let mounted: MountedApi;
  let loads: string[];

  beforeEach(async () => {
    loads = [];
    const seen = <Row>(name: string, row: Row): Row => {
      loads.push(name);
      return row;
    };
    mounted = await mountApi({
      services: {
        charges: {
          create: async ({ claim }: Call) => {
            if (claim !== undefined)
              mounted.rows.finish(claim, toStoredResponse(toChargeResource(charge)));
            return charge;
          },
          retrieve: async () => seen('charge', charge),
          retrieveMany: async (_: unknown, ids: readonly string[]) =>
            among(ids, seen('charges', charge)),
          list: async () => ({ data: [charge, charge, charge], hasMore: false }),
        },
        paymentMethods: {
          retrieveMany: async (_: unknown, ids: readonly string[]) =>
            among(ids, seen('payment methods', method)),
        },
        refunds: {
          retrieveMany: async (_: unknown, ids: readonly string[]) =>
            among(ids, seen('refunds', refund)),
          newestOf: async () => [refund],
        },
        payouts: { retrieveMany: async () => [] },
        disputes: { retrieveMany: async () => [] },
        balance: {
          retrieveTransactions: async (_: unknown, ids: readonly string[]) =>
            among(ids, seen('balance transactions', transaction)),
        },
      },
    });
  });
  afterEach(() => mounted.close());

  const get = (path: string, key = 'sk') => ask(mounted.url + path, { key });

  it('replaces ids by what they name', async () => {
    const { json } = await get(`/v1/charges/${charge.id}?expand[]=payment_method`);
    expect(json['payment_method']).to.include({ id: method.id, object: 'payment_method' });
    expect(JSON.stringify(json)).not.to.include('p_1');
  });

  it('loads once what a page names many times', async () => {
    const { json } = await get('/v1/charges?expand[]=data.payment_method');
    const data = json['data'] as { payment_method: { id: string } }[];
    expect(data.map((each) => each.payment_method.id)).to.deep.equal([
      method.id,
      method.id,
      method.id,
    ]);
    expect(loads).to.deep.equal(['payment methods']);
  });

  it('loads once what all lists of a page name', async () => {
    const { json } = await get('/v1/charges?expand[]=data.refunds.data.charge');
    const data = json['data'] as { refunds: { data: { charge: { id: string } }[] } }[];
    const named = data.flatMap(({ refunds }) => refunds.data.map((each) => each.charge.id));
    expect(named).to.deep.equal([charge.id, charge.id, charge.id]);
    expect(loads).to.deep.equal(['charges']);
  });

  it('goes four fields deep, through lists too', async () => {
    const path = 'refunds.data.balance_transaction.source';
    const { json } = await get(`/v1/charges/${charge.id}?expand[0]=${path}`);
    const refunds = json['refunds'] as {
      url: string;
      data: Record<string, Record<string, unknown>>[];
    };
    expect(refunds.url).to.equal(`/v1/charges/${charge.id}/refunds`);
    expect(refunds.data[0]?.['balance_transaction']?.['source']).to.include({ id: refund.id });
    const deeper = await get(`/v1/charges/${charge.id}?expand[]=${path}.charge`);
    expect(deeper.error['code']).to.equal('expand_invalid');
  });

  it('works for POST, and the replay shows the same', async () => {
    const send = () =>
      postForm(`${mounted.url}/v1/charges`, 'amount=1&currency=eur&expand[]=payment_method', {
        headers: { 'idempotency-key': 'k' },
      });
    const first = await send();
    expect(first.json['payment_method']).to.include({ object: 'payment_method' });
    const second = await send();
    expect(second.headers['idempotent-replayed']).to.equal('true');
    expect(second.text).to.equal(first.text);
  });

  it('shows nothing that the key may not read by itself', async () => {
    mounted.principals.set('rk', toPrincipal({ scopes: ['charges:read'] }));
    const refused = await get(`/v1/charges/${charge.id}?expand[]=payment_method`, 'rk');
    expect(refused.status).to.equal(403);
    expect(refused.error['required_scope']).to.equal('customers:read');
    expect((await get(`/v1/charges/${charge.id}?expand[]=refunds`, 'rk')).status).to.equal(200);
  });

  it('is refused for unknown fields, whatever they are called', async () => {
    for (const path of [
      'costumer',
      'payment_method.id',
      'constructor',
      '',
      '.',
      'data.payment_method',
    ]) {
      const { error } = await get(`/v1/charges/${charge.id}?expand[]=${path}`);
      expect(error, path).to.include({ code: 'expand_invalid', param: 'expand' });
    }
    const balance = await get('/v1/balance?expand[]=x');
    expect(balance.error['code']).to.equal('expand_invalid');
  });

  it('leaves the id of what is gone', async () => {
    const gone = await mountApi({
      services: {
        charges: { retrieve: async () => charge },
        paymentMethods: { retrieveMany: async () => [] },
      },
    });
    const { json } = await ask(`${gone.url}/v1/charges/${charge.id}?expand[]=payment_method`);
    expect(json['payment_method']).to.equal(charge.paymentMethodId);
    await gone.close();
  });
});

describe('expand, with ten large refunds', () => {
  /** Ten of them have almost a mebibyte. */
  const large: readonly Refund[] = Array.from({ length: 10 }, () => ({
    ...OWNER,
    id: newId('re'),
    version: 1,
    chargeId: charge.id,
    amount: 1,
    currency: 'eur',
    reason: null,
    balanceTransactionId: newId('txn'),
    metadata: { text: 'é'.repeat(50_000) },
    created: CREATED,
    status: 'succeeded',
  }));
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi({
      services: {
        charges: {
          create: async ({ claim }: Call) => {
            if (claim !== undefined)
              mounted.rows.finish(claim, toStoredResponse(toChargeResource(charge)));
            return charge;
          },
          retrieve: async () => charge,
          retrieveMany: async (_: unknown, ids: readonly string[]) => among(ids, charge),
          list: async () => ({ data: [charge], hasMore: false }),
        },
        refunds: { newestOf: async () => large },
      },
    });
  });
  after(() => mounted.close());

  it('refuses an object that would have more than 8 MiB', async () => {
    const { status, error } = await ask(
      `${mounted.url}/v1/charges/${charge.id}?expand[]=refunds.data.charge.refunds`,
    );
    expect([status, error['code'], error['param'], error['message']]).to.deep.equal([
      400,
      'response_too_large',
      'expand',
      'With what `expand` adds, the answer would have more than 8,388,608 bytes. Expand fewer fields, and request the others by themselves.',
    ]);
  });

  it('shows what has less, whole and in the form that was asked for', async () => {
    const { json } = await ask(`${mounted.url}/v1/charges/${charge.id}?expand[]=refunds`, {
      headers: { 'stripe-version': '2024-06-20' },
    });
    const { refunds, ...rest } = json as { refunds: { data: { id: string; created: number }[] } };
    expect(rest).to.include({ id: charge.id, created: 1_795_253_400 });
    expect(refunds.data.map(({ id, created }) => [id, created])).to.deep.equal(
      large.map(({ id }) => [id, 1_795_253_400]),
    );
  });

  it('leaves the ids in the answer to a change that would have more than 1 MiB', async () => {
    const send = (key: string, path: string) =>
      postForm(`${mounted.url}/v1/charges`, `amount=1&currency=eur&expand[]=${path}`, {
        headers: key === '' ? {} : { 'idempotency-key': key },
      });
    for (const key of ['', 'kept']) {
      const { status, json } = await send(key, 'refunds.data.charge.refunds');
      expect([status, json['id'], json['refunds']]).to.deep.equal([200, charge.id, undefined]);
    }
    const replayed = await send('kept', 'refunds.data.charge.refunds');
    expect(replayed.headers['idempotent-replayed']).to.equal('true');
    expect(replayed.json['refunds']).to.equal(undefined);
    const { json } = await send('small', 'refunds');
    expect((json['refunds'] as { data: unknown[] }).data).to.have.length(10);
  });
});

function among<Row extends { readonly id: string }>(ids: readonly string[], row: Row): Row[] {
  return ids.includes(row.id) ? [row] : [];
}

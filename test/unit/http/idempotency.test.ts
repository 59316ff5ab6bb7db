import { mintKey } from '@paymount/core/access';
import { ClaimedError, toStoredErrorResponse, toStoredResponse } from '@paymount/core/changes';
import { type Call, newId, PaymountError } from '@paymount/core/kernel';
import { type Charge, toChargeResource } from '@paymount/core/payments';
import { expect } from 'chai';
import { fingerprintRequest } from '../../../packages/http/src/fingerprint.ts';
import { type Ask, postForm, type Reply } from '../../support/ask.ts';
import { eventually } from '../../support/eventually.ts';
import { buildCharge, type MountedApi, type MountOptions, mountApi } from './mounted-api.ts';

type Create = (call: Call, mounted: MountedApi) => Promise<Charge>;

/** As the charge service: claim and intent in one change, the answer in another. */
const succeed: Create = async ({ claim }, { rows }) => {
  const charge = buildCharge({});
  if (claim === undefined) return charge;
  if (!rows.begin(claim, newId('op'))) throw new ClaimedError();
  await new Promise(setImmediate);
  rows.finish(claim, toStoredResponse(toChargeResource(charge)));
  return charge;
};

describe('an Idempotency-Key', () => {
  let mounted: MountedApi;
  let executed: number;
  let create: Create;

  async function mount(options: MountOptions = {}): Promise<void> {
    const charges = {
      create: (call: Call) => {
        executed += 1;
        return create(call, mounted);
      },
      capture: (call: Call) => {
        executed += 1;
        return create(call, mounted);
      },
    };
    mounted = await mountApi({ ...options, services: { charges, ...options.services } });
  }

  const send = (key: string, body = 'amount=1&currency=eur', more: Ask = {}): Promise<Reply> =>
    postForm(`${mounted.url}/v1/charges`, body, {
      ...more,
      headers: { 'idempotency-key': key, ...more.headers },
    });

  beforeEach(async () => {
    executed = 0;
    create = succeed;
    await mount();
  });
  afterEach(() => mounted.close());

  it('has 1 to 255 printable ASCII characters, once', async () => {
    for (const key of ['', '""', 'ü', 'a\tb', 'x'.repeat(256)]) {
      const reply = await send(key);
      expect(reply.status, key).to.equal(400);
      expect(reply.error['code'], key).to.equal('idempotency_key_invalid');
    }
    const twice = await send('', undefined, { headers: { 'idempotency-key': ['a', 'b'] } });
    expect(twice.error['code']).to.equal('idempotency_key_invalid');
    expect((await send('x'.repeat(255))).status).to.equal(200);
  });

  it('holds no credential and no signing secret, as it is kept as it was sent', async () => {
    const key = mintKey('secret', 'live');
    for (const text of [key, `order_${key}`, `whsec_${'A'.repeat(43)}=`]) {
      const { status, error } = await send(text);
      expect([status, error['code']]).to.deep.equal([400, 'idempotency_key_invalid']);
    }
    expect(executed).to.equal(0);
    expect((await send('import_01jz0000000000000000000000')).status).to.equal(200);
  });

  it('answers 409 while the first request runs', async () => {
    let finish = (): void => undefined;
    create = async (call, { rows }) => {
      if (call.claim !== undefined) rows.begin(call.claim, newId('op'));
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return buildCharge({});
    };
    const first = send('k1');
    await eventually(() => mounted.rows.rows.size > 0);
    const second = await send('k1');
    expect(second.status).to.equal(409);
    expect(second.error['code']).to.equal('idempotency_key_in_use');
    expect(second.headers['retry-after']).to.equal('1');
    finish();
    expect((await first).status).to.equal(200);
  });

  it('is not used up by a request that never ran', async () => {
    expect((await send('k1', 'amount=0&currency=eur')).status).to.equal(400);
    expect((await send('k1', undefined, { key: 'nobody' })).status).to.equal(401);
    expect((await send('k1')).status).to.equal(200);
    expect(executed).to.equal(1);
  });

  it('keeps no conflict and no failure before a side effect', async () => {
    for (const code of ['lock_timeout', 'processor_error', 'unavailable'] as const) {
      create = async () => {
        throw new PaymountError(code);
      };
      const { headers } = await send(code);
      if (code !== 'unavailable') expect(headers['stripe-should-retry'], code).to.equal('true');
      create = succeed;
      expect((await send(code)).status, code).to.equal(200);
    }
  });

  it('tells the SDK not to retry a failure that is kept', async () => {
    create = async ({ claim, requestId }, { rows }) => {
      const error = new PaymountError('processor_error');
      if (claim !== undefined) {
        rows.begin(claim, newId('op'));
        rows.finish(claim, toStoredErrorResponse(error, requestId));
      }
      throw error;
    };
    expect((await send('k1')).headers['stripe-should-retry']).to.equal('false');
    const replayed = await send('k1');
    expect(replayed.headers).to.include({
      'stripe-should-retry': 'false',
      'idempotent-replayed': 'true',
    });
  });

  it('is taken over once the lock of a crashed request ran out, and never executed anew', async () => {
    await mounted.close();
    const resumed: string[] = [];
    await mount({
      resolver: {
        resume: async (_, id) => {
          resumed.push(id);
          const [claim] = begun;
          if (claim !== undefined)
            mounted.rows.finish(claim, toStoredResponse({ id: 'ch_resumed' }));
        },
      },
    });
    const begun: NonNullable<Call['claim']>[] = [];
    const operationId = newId('op');
    create = async ({ claim }, { rows }) => {
      if (claim !== undefined) {
        rows.begin(claim, operationId);
        begun.push(claim);
      }
      throw new Error('the process died here');
    };
    await send('k1');
    expect((await send('k1')).status).to.equal(409);
    mounted.clock.advance(61_000);
    const reply = await send('k1');
    expect(reply.json).to.deep.equal({ id: 'ch_resumed' });
    expect(resumed).to.deep.equal([operationId]);
    expect(executed).to.equal(1);
  });

  it('replays an answer that shows a secret from its sealed copy', async () => {
    await mounted.close();
    let credential = '';
    await mount({
      sealer: {
        seal: async (plain) => ({ sealed: plain, kid: 'k' }),
        open: async (sealed, context) => {
          const bound = context.startsWith('idempotency_keys.body:');
          return JSON.stringify({ credential, body: JSON.stringify({ opened: sealed, bound }) });
        },
      },
    });
    create = async ({ claim }, { rows }) => {
      if (claim !== undefined) {
        credential = claim.credential;
        rows.begin(claim, newId('op'));
        rows.finish(claim, { status: 200, body: 'jwe', kid: 'k' });
      }
      return buildCharge({});
    };
    await send('k1');
    expect((await send('k1')).json).to.deep.equal({ opened: 'jwe', bound: true });
  });
});

describe('the fingerprint of a request', () => {
  const key = Buffer.alloc(32, 7);
  const request = (parameters: unknown, environment: 'live' | 'test' = 'test') =>
    ({ owner: { environment }, method: 'POST', path: '/v1/charges', parameters }) as const;
  const of = (parameters: unknown): string => fingerprintRequest(key, request(parameters));
  const inLive = (parameters: unknown): string =>
    fingerprintRequest(key, request(parameters, 'live'));

  it('leaves card and bank numbers out in live, and nothing else', () => {
    const card = { exp_month: 1, number: '4242424242424242', cvc: '123' };
    expect(inLive({ card })).to.equal(inLive({ card: { exp_month: 1 } }));
    expect(inLive({ card })).not.to.equal(inLive({ card: { exp_month: 2 } }));
    expect(inLive({ metadata: { number: '1' } })).not.to.equal(
      inLive({ metadata: { number: '2' } }),
    );
  });

  it('takes in the card of a test', () => {
    const card = { exp_month: 1, number: '4242424242424242', cvc: '123' };
    for (const other of [{ number: '5555555555554444' }, { cvc: '124' }]) {
      expect(of({ card: { ...card, ...other } })).not.to.equal(of({ card }));
    }
  });

  it('tells apart what JSON text might confuse', () => {
    expect(of({ metadata: { 1: 'a', b: 'c' } })).to.equal(of({ metadata: { b: 'c', 1: 'a' } }));
    expect(of({ a: ['b', 'c'] })).not.to.equal(of({ a: { b: 'c' } }));
    expect(of({ a: '1' })).not.to.equal(of({ a: 1 }));
  });

  it('is keyed', () => {
    const other = Buffer.alloc(32, 8);
    expect(fingerprintRequest(other, request({}))).not.to.equal(of({}));
    expect(of({})).to.match(/^[0-9a-f]{64}$/);
  });
});

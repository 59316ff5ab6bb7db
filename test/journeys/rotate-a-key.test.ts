import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type OpenShop, openShop } from '../support/open-shop.ts';
import { type Clerk, codeIn, hireClerk } from './clerk.ts';

const CHARGES = '/payments/live/v1/charges';
/** A key may ask 100 times a second in live, and 200 times at once. */
const MAX_SENT = 400;
const OVERLAP_SECONDS = 3_600;

interface Sent {
  readonly status: number;
  readonly key: string;
  readonly deprecated: boolean;
}

/** The shop believes this machine as its proxy, which ends TLS. */
const PROXIED = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' };

describe('keys of a merchant at a shop that mounts Paymount', function () {
  this.timeout(20_000);
  let shop: OpenShop;
  let admin: Clerk;

  const call = (
    path: string,
    headers: Record<string, string>,
    fields?: Record<string, string>,
  ): Promise<Response> =>
    fetch(shop.url + path, {
      headers: { ...PROXIED, ...headers },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });

  const makeKey = async (
    more: Record<string, string> = {},
  ): Promise<{ id: string; key: string }> => {
    const fields = { account: shop.merchant.account, livemode: 'true', type: 'secret', ...more };
    const { status, body } = await admin.ask('/keys', { ...fields, name: 'Server' });
    expect(status).to.equal(200);
    return { id: String(body['id']), key: String(body['secret']) };
  };

  /** A card serves one charge. */
  const keepCard = (key: string): Promise<Response> =>
    call(
      '/payments/live/v1/payment_methods',
      { authorization: `Bearer ${key}` },
      { type: 'card', 'card[token]': 'house_visa' },
    );

  const charge = (key: string, card: string, idempotencyKey: string): Promise<Response> =>
    call(
      CHARGES,
      { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey },
      { amount: '4200', currency: 'eur', payment_method: card },
    );

  before(async () => {
    shop = await openShop({ proxies: ['127.0.0.1'] });
    admin = await hireClerk(shop, 'admin', PROXIED);
  });

  after(() => shop.close());

  it('are replaced while every request succeeds', async () => {
    const old = await makeKey();
    let deployed = old.key;
    let open = true;
    const sent: Sent[] = [];
    const client = async (): Promise<void> => {
      while (open && sent.length < MAX_SENT) {
        const key = deployed;
        const kept = await keepCard(key);
        const card = await idIn(kept);
        for (const { status, headers } of [kept, await charge(key, card, randomUUID())]) {
          sent.push({ status, key, deprecated: headers.has('deprecation') });
        }
      }
    };
    const last = (so: (one: Sent) => boolean): Promise<true> =>
      eventually(async () => sent.slice(-1).some(so));

    const running = client();
    running.catch(() => undefined);
    await last(({ status, deprecated }) => status === 200 && !deprecated);
    const { body } = await admin.ask(`/keys/${old.id}/rotate`, {
      overlap_seconds: String(OVERLAP_SECONDS),
    });
    await last(({ deprecated }) => deprecated);
    deployed = String(body['secret']);
    await last(({ key }) => key !== old.key);
    const revoked = await admin.ask(`/keys/${old.id}/revoke`, {});
    expect(revoked.body).to.include({ status: 'revoked', replaced_by: body['id'] });
    const count = sent.length;
    await eventually(async () => sent.length > count + 2);
    open = false;
    await running;

    expect(new Set(sent.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const successors = sent.filter(({ key }) => key !== old.key);
    expect(successors.some(({ deprecated }) => deprecated)).to.equal(false);
    const refused = await keepCard(old.key);
    const answer = (await refused.json()) as Record<string, unknown>;
    expect([refused.status, codeIn(answer)]).to.deep.equal([401, 'api_key_revoked']);
  });

  it('say for how long they go on, and let their successors end what they began', async () => {
    const old = await makeKey();
    const card = await idIn(await keepCard(old.key));
    const begun = randomUUID();
    const first = await charge(old.key, card, begun);
    expect(first.status).to.equal(200);
    const rotatedMs = Date.now();
    const overlap = { overlap_seconds: String(OVERLAP_SECONDS) };
    const { body } = await admin.ask(`/keys/${old.id}/rotate`, overlap);
    const notice = await eventually(async () => {
      const { headers } = await keepCard(old.key);
      return headers.has('sunset') ? headers : undefined;
    });
    expect(notice.get('deprecation')).to.match(/^@\d+$/);
    const endsInMs = Date.parse(notice.get('sunset') ?? '') - rotatedMs;
    expect(endsInMs / 1000).to.be.closeTo(OVERLAP_SECONDS, 5);
    const again = await charge(String(body['secret']), card, begun);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(await again.json()).to.deep.equal(await first.json());
  });

  it('work from their addresses alone, as the proxy of the shop tells them', async () => {
    const office = await makeKey({ 'allowed_ips[]': '203.0.113.0/24' });
    const from = async (address: string): Promise<unknown[]> => {
      const answer = await call(CHARGES, {
        authorization: `Bearer ${office.key}`,
        'x-forwarded-for': address,
        'x-forwarded-proto': 'https',
      });
      const body = (await answer.json()) as Record<string, unknown>;
      return [answer.status, codeIn(body)];
    };
    expect(await from('203.0.113.7')).to.deep.equal([200, undefined]);
    expect(await from('198.51.100.9')).to.deep.equal([403, 'ip_not_allowed']);
    // The client wrote the left one itself; the proxy added the right one.
    expect(await from('203.0.113.7, 198.51.100.9')).to.deep.equal([403, 'ip_not_allowed']);
  });
});

async function idIn(response: Response): Promise<string> {
  return String(((await response.json()) as { id?: string }).id);
}

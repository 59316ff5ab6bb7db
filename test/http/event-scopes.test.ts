import { expect } from 'chai';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { makeKey } from '../support/credentials.ts';
import { openStream } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Hook, webhookSetting } from '../support/webhook-setting.ts';

type Scope = NonNullable<NonNullable<Parameters<typeof makeKey>[2]>['scopes']>[number];

/** A type of each family, and the scope with which the API shows its object. */
const FAMILIES = {
  'charge.succeeded': 'charges:read',
  'dispute.created': 'disputes:write',
  'payout.paid': 'payouts:read',
  'subscription.created': 'subscriptions:write',
} as const satisfies Readonly<Record<string, Scope>>;

type Type = keyof typeof FAMILIES;
type Json = Readonly<Record<string, unknown>>;

const TYPES = Object.keys(FAMILIES) as readonly Type[];
const lacks = (scope: Scope): unknown[] => [403, 'insufficient_scope', scope];
const refusal = ({ status, error }: Reply): unknown[] => [
  status,
  error['code'],
  error['required_scope'],
];

describe('An event', () => {
  let setup: OAuthSetup;
  let receiver: Receiver;
  let hook: Hook;
  let events: Readonly<Record<Type, string>>;

  before(async () => {
    setup = await startOAuthSetup();
    receiver = await startReceiver();
    hook = await webhookSetting(setup).register(`${receiver.url}/hook`);
    receiver.script(...TYPES.map((type) => ({ status: 200, body: `Got ${type}.` })));
    const made = [];
    for (const type of TYPES) {
      const { json } = await post(setup.secretKey, '/test_helpers/events', { type });
      made.push([type, String(json['id'])]);
    }
    events = Object.fromEntries(made) as typeof events;
    await setup.worker.drain();
  });
  after(async () => {
    await receiver.close();
    await setup.close();
  });

  const get = (key: string, path: string): Promise<Reply> => ask(`${setup.url}/v1${path}`, { key });
  const post = (key: string, path: string, body: object = {}): Promise<Reply> =>
    postJson(`${setup.url}/v1${path}`, body, { key });
  const keyWith = async (...scopes: readonly Scope[]): Promise<string> => {
    const facts = { type: 'restricted', scopes: ['webhooks:write', ...scopes] } as const;
    return (await makeKey(setup.paymount, setup.account, facts)).secret;
  };
  const tokenWith = async (...more: readonly Scope[]): Promise<string> => {
    const scopes: readonly Scope[] = ['webhooks:write', ...more];
    const platform = await setup.newPlatform({ scopes });
    return String((await setup.connect({ platform, scopes }))['access_token']);
  };
  const dataIn = ({ json }: Reply): readonly Json[] => json['data'] as readonly Json[];
  const typesIn = (reply: Reply) => dataIn(reply).map(({ type }) => type);

  for (const [what, make] of Object.entries({ 'restricted key': keyWith, token: tokenWith })) {
    it(`is shown to a ${what} only with the scope that reads its object`, async () => {
      const bare = await make();
      for (const [type, scope] of Object.entries(FAMILIES) as [Type, Scope][]) {
        const refused = await get(bare, `/events/${events[type]}`);
        expect(refusal(refused), type).to.deep.equal(lacks(scope));
        expect(refused.headers['www-authenticate']).to.include(`scope="${scope}"`);
        expect(refused.text).not.to.include('"data"');
        const shown = await get(await make(scope), `/events/${events[type]}`);
        expect([shown.status, shown.json['type']], type).to.deep.equal([200, type]);
      }
    });
  }

  it('is in a list only if the caller may read it, and a type by name is refused', async () => {
    const charges = await keyWith('charges:read');
    expect(typesIn(await get(charges, '/events'))).to.deep.equal(['charge.succeeded']);
    const two = await keyWith('charges:read', 'payouts:read');
    const page = await get(two, '/events?limit=1');
    expect([typesIn(page), page.json['has_more']]).to.deep.equal([['payout.paid'], true]);
    expect(refusal(await get(charges, '/events?type=payout.paid'))).to.deep.equal(
      lacks('payouts:read'),
    );
    const query = '/events?types[]=charge.succeeded&types[]=dispute.won';
    expect(refusal(await get(charges, query))).to.deep.equal(lacks('disputes:write'));
    expect(refusal(await get(await keyWith(), '/events'))).to.deep.equal(lacks('charges:read'));
    const all = await keyWith(
      'charges:read',
      'payouts:read',
      'disputes:write',
      'subscriptions:write',
    );
    for (const key of [all, setup.secretKey]) {
      expect(typesIn(await get(key, '/events'))).to.have.members(TYPES);
    }
  });

  it('is in its deliveries without bodies, which are as they were with the scope', async () => {
    const bare = await keyWith();
    const deliveries = dataIn(await get(bare, '/deliveries'));
    expect(deliveries.map((each) => each['event_type'])).to.have.members(TYPES);
    const { id } = deliveries.find((each) => each['event_type'] === 'charge.succeeded') ?? {};
    const hidden = (await get(bare, `/deliveries/${String(id)}`)).json;
    const [attempt] = hidden['attempts'] as readonly Json[];
    expect([hidden['request_body'], attempt?.['response_body']]).to.deep.equal([null, null]);
    expect(attempt).to.include({ response_status: 200, outcome: 'succeeded' });
    const shown = (await get(await keyWith('charges:read'), `/deliveries/${String(id)}`)).json;
    expect(shown['request_body']).to.include(events['charge.succeeded']);
    const [full] = shown['attempts'] as readonly Json[];
    expect(full?.['response_body']).to.equal('Got charge.succeeded.');
  });

  it('is not sent again for a caller who may not read it', async () => {
    const payouts = await keyWith('payouts:read');
    const again = `/events/${events['charge.succeeded']}/replay`;
    const to = { endpoint: hook.id };
    expect(refusal(await post(payouts, again, to))).to.deep.equal(lacks('charges:read'));
    const [delivery] = dataIn(
      await get(payouts, `/deliveries?event=${events['charge.succeeded']}`),
    );
    const retry = `/deliveries/${String(delivery?.['id'])}/retry`;
    expect(refusal(await post(payouts, retry))).to.deep.equal(lacks('charges:read'));
    const past = { to: hook.id, created: { gte: 0 } };
    for (const [body, scope] of [
      [past, 'charges:read'],
      [{ ...past, dry_run: true }, 'charges:read'],
      [{ ...past, types: ['payout.paid', 'dispute.won'] }, 'disputes:write'],
    ] as const) {
      expect(refusal(await post(payouts, '/replays', body))).to.deep.equal(lacks(scope));
    }
    const sent = await post(payouts, `/events/${events['payout.paid']}/replay`, to);
    expect(dataIn(sent)).to.have.length(1);
    const replay = await post(payouts, '/replays', { ...past, types: ['payout.paid'] });
    expect(replay.status, replay.text).to.equal(200);
  });

  it('is not triggered about an object that the caller may not read', async () => {
    const sale = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
    const { json: charge } = await post(setup.secretKey, '/charges', sale);
    const trigger = { type: 'charge.captured', object: charge['id'] };
    const refused = await post(await keyWith(), '/test_helpers/events', trigger);
    expect(refusal(refused)).to.deep.equal(lacks('charges:read'));
    const invented = await post(await keyWith(), '/test_helpers/events', { type: trigger.type });
    expect(invented.status).to.equal(200);
    const made = await post(await keyWith('charges:read'), '/test_helpers/events', trigger);
    expect(made.status).to.equal(200);
  });

  it('is in a stream only while the credential may read it', async () => {
    const bare = await get(await keyWith(), '/events/stream');
    expect(refusal(bare)).to.deep.equal(lacks('charges:read'));
    const facts = { type: 'restricted', scopes: ['webhooks:write', 'charges:read'] } as const;
    const { id, secret } = await makeKey(setup.paymount, setup.account, facts);
    const named = await get(secret, '/events/stream?types[]=payout.*');
    expect(refusal(named)).to.deep.equal(lacks('payouts:read'));
    const stream = await openStream(`${setup.url}/v1/events/stream`, secret);
    const trigger = async (type: Type | 'charge.failed'): Promise<string> =>
      String((await post(setup.secretKey, '/test_helpers/events', { type })).json['id']);
    await stream.until(/\nid: evt_\w+\n\n/);
    await trigger('payout.paid');
    const seen = await trigger('charge.succeeded');
    expect((await stream.waitFor(1)).map((block) => block['id'])).to.deep.equal([seen]);
    await setup.paymount.keys.update(id, { scopes: ['webhooks:write', 'disputes:write'] });
    await eventually(async () => (await get(secret, '/charges')).status === 403);
    const other = await openStream(`${setup.url}/v1/events/stream`, secret);
    await other.until(/\nid: evt_\w+\n\n/);
    await trigger('charge.failed');
    const dispute = await trigger('dispute.created');
    expect((await other.waitFor(1)).map((block) => block['id'])).to.deep.equal([dispute]);
    expect(stream.events).to.have.length(1);
    stream.close();
    other.close();
  });

  it('is delivered to an endpoint, whoever registered it: that is not reading', async () => {
    const made = await post(await tokenWith(), '/webhook_endpoints', {
      url: `${receiver.url}/other`,
      enabled_events: ['*'],
    });
    expect(made.status, made.text).to.equal(200);
    await post(setup.secretKey, '/test_helpers/events', { type: 'payout.failed' });
    await setup.worker.drain();
    const paths = receiver.requests.map(({ path }) => path);
    expect(paths).to.include('/other');
  });
});

import { ChargeCreateInput, ChargeResource } from '@paymount/core/payments';
import { expect } from 'chai';
import { z } from 'zod';
import { routesUnder } from '../../../packages/http/src/routing/route.ts';
import { RouteIndex } from '../../../packages/http/src/routing/route-index.ts';
import { ask, postForm } from '../../http/ask.ts';
import { type MountedApi, mountApi, toPrincipal } from './mounted-api.ts';

const answer = async (): Promise<object> => ({});

describe('the route table', () => {
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi();
  });
  after(() => mounted.close());

  it('fails at start for a route that declares no scope', () => {
    const named = { operationId: 'x', summary: 'x', response: ChargeResource };
    const facts = { ...named, body: ChargeCreateInput };
    const route = routesUnder('/v1/x');
    // @ts-expect-error a scope is missing; JavaScript would not notice
    expect(() => route.post('', facts, answer)).to.throw('POST /v1/x declares no scope');
    expect(() =>
      // @ts-expect-error no such scope
      route.post('', { ...facts, scope: 'charges:all' }, answer),
    ).to.throw('declares no scope');
  });

  it('fails at start for a route that would take unknown parameters', () => {
    const route = routesUnder('/v1/x');
    const named = { operationId: 'x', summary: 'x', response: ChargeResource };
    const facts = { ...named, scope: 'charges:read' } as const;
    expect(() => route.get('', { ...facts, query: z.object({ a: z.string() }) }, answer)).to.throw(
      'GET /v1/x takes unknown parameters',
    );
  });

  it('fails at start for a route that says of itself what nobody reads', () => {
    const route = routesUnder('/v1/x');
    const declared = { scope: 'charges:read', digits: ['reason'] } as const;
    // TypeScript looks for unknown members in literals alone, not in what is spread.
    const facts = { ...declared, operationId: 'x', summary: 'x', response: ChargeResource };
    expect(() => route.get('', { ...facts, query: z.strictObject({}) }, answer)).to.throw(
      'GET /v1/x declares "digits"; a route has only operationId, summary, refusals, response, query, body, scope, publishable, testOnly, expand, instead.',
    );
    expect(() => route.post('', { ...facts, body: z.strictObject({}) }, answer)).to.throw(
      'POST /v1/x declares "digits"',
    );
  });

  it('fails at start for two routes of one method and path', () => {
    const [first] = mounted.api.routes;
    if (first === undefined) throw new Error('there are no routes');
    expect(() => new RouteIndex([first, first])).to.throw('POST /v1/charges is declared twice');
  });

  it('holds exactly the routes of the reference, each with its name and scope', () => {
    const rows = mounted.api.routes.map(({ method, pattern, facts }) =>
      [
        facts.operationId,
        method,
        pattern,
        facts.scope,
        ...(facts.publishable ? ['publishable'] : []),
      ].join(' '),
    );
    expect(rows).to.deep.equal([
      'createCharge POST /v1/charges charges:write',
      'listCharges GET /v1/charges charges:read',
      'retrieveCharge GET /v1/charges/:id charges:read',
      'updateCharge POST /v1/charges/:id charges:write',
      'captureCharge POST /v1/charges/:id/capture charges:write',
      'cancelCharge POST /v1/charges/:id/cancel charges:write',
      'createRefund POST /v1/refunds charges:write',
      'listRefunds GET /v1/refunds charges:read',
      'retrieveRefund GET /v1/refunds/:id charges:read',
      'updateRefund POST /v1/refunds/:id charges:write',
      'cancelRefund POST /v1/refunds/:id/cancel charges:write',
      'createChargeRefund POST /v1/charges/:id/refunds charges:write',
      'listChargeRefunds GET /v1/charges/:id/refunds charges:read',
      'retrieveChargeRefund GET /v1/charges/:id/refunds/:refund charges:read',
      'updateChargeRefund POST /v1/charges/:id/refunds/:refund charges:write',
      'refundCharge POST /v1/charges/:id/refund charges:write',
      'createPaymentMethod POST /v1/payment_methods customers:write publishable',
      'retrievePaymentMethod GET /v1/payment_methods/:id customers:read',
      'updatePaymentMethod POST /v1/payment_methods/:id customers:write',
      'createToken POST /v1/tokens customers:write publishable',
      'retrieveToken GET /v1/tokens/:id customers:read',
      'retrieveBalance GET /v1/balance payouts:read',
      'listBalanceTransactions GET /v1/balance_transactions payouts:read',
      'retrieveBalanceTransaction GET /v1/balance_transactions/:id payouts:read',
      'listWebhookEndpoints GET /v1/webhook_endpoints webhooks:write',
      'retrieveWebhookEndpoint GET /v1/webhook_endpoints/:id webhooks:write',
      'createWebhookEndpoint POST /v1/webhook_endpoints webhooks:write',
      'updateWebhookEndpoint POST /v1/webhook_endpoints/:id webhooks:write',
      'rotateWebhookEndpointSecret POST /v1/webhook_endpoints/:id/rotate_secret webhooks:write',
      'deleteWebhookEndpoint DELETE /v1/webhook_endpoints/:id webhooks:write',
      'listEvents GET /v1/events webhooks:write',
      'retrieveEvent GET /v1/events/:id webhooks:write',
      'replayEvent POST /v1/events/:id/replay webhooks:write',
      'streamEvents GET /v1/events/stream webhooks:write',
      'listKeys GET /v1/api_keys secret_key',
      'retrieveKey GET /v1/api_keys/:id secret_key',
      'revokeKey POST /v1/api_keys/:id/revoke secret_key',
      'triggerEvent POST /v1/test_helpers/events webhooks:write',
    ]);
  });

  it('admits no restricted key to any route without its scope, and none but a secret key elsewhere', async () => {
    for (const { method, pattern, facts } of mounted.api.routes) {
      const url = mounted.url + pattern.replace(/:\w+/g, 'x_1');
      const others = ['charges:read', 'customers:read', 'disputes:write'] as const;
      mounted.principals.set(
        'rk',
        toPrincipal({ scopes: others.filter((s) => s !== facts.scope) }),
      );
      mounted.asked.length = 0;
      const reply = await ask(url, { method, key: 'rk' });
      expect(reply.status, `${method} ${pattern}`).to.equal(403);
      expect(reply.error).to.include(
        facts.scope === 'secret_key'
          ? { code: 'secret_key_required' }
          : { code: 'insufficient_scope', required_scope: facts.scope },
      );
      const publishable = await ask(url, { method, key: 'pk' });
      expect(publishable.status === 403, `${method} ${pattern}`).to.equal(!facts.publishable);
      if (!facts.publishable) expect(mounted.asked).to.deep.equal([]);
    }
  });
});

describe('a DELETE', () => {
  it('takes parameters in the query or in the body, and refuses unknown ones in both', async () => {
    const mounted = await mountApi();
    const url = `${mounted.url}/v1/webhook_endpoints/we_1`;
    const queried = await ask(`${url}?now=true`, { method: 'DELETE' });
    expect(queried.error).to.include({ code: 'parameter_unknown', param: 'now' });
    const sent = await postForm(url, 'now=true', { method: 'DELETE' });
    expect(sent.status).to.equal(400);
    await mounted.close();
  });
});

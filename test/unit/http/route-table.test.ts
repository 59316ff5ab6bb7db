import { ChargeCreateInput, ChargeResource } from '@paymount/core/payments';
import { expect } from 'chai';
import { z } from 'zod';
import { routesUnder } from '../../../packages/http/src/routing/route.ts';
import { RouteIndex } from '../../../packages/http/src/routing/route-index.ts';
import { ask, postForm } from '../../support/ask.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

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

  it('fails at start for a route with an unknown fact', () => {
    const route = routesUnder('/v1/x');
    const declared = { scope: 'charges:read', digits: ['reason'] } as const;
    // TypeScript looks for unknown members in literals alone, not in what is spread.
    const facts = { ...declared, operationId: 'x', summary: 'x', response: ChargeResource };
    expect(() => route.get('', { ...facts, query: z.strictObject({}) }, answer)).to.throw(
      'GET /v1/x declares "digits"; a route has only operationId, summary, errorStatuses, response, takesFile, query, body, scope, orScope, publishable, testOnly, expand, instead.',
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

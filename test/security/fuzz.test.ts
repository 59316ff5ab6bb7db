import { expect } from 'chai';
import fc from 'fast-check';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, FORM, JSON_TYPE, type Reply } from '../support/ask.ts';
import { isNightly } from '../support/depth.ts';
import {
  type DocumentedRoute,
  documentedRoutes,
  parameterNames,
} from '../support/documented-routes.ts';
import { formText } from '../support/form-text.ts';
import type { V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';

/** To each route; the first of them says nothing. */
const REQUESTS = Number(process.env['PAYMOUNT_FUZZ_REQUESTS'] ?? (isNightly ? 13 : 2));

/** Beyond 16 KiB of header, node itself answers 431 before any of us is asked. */
const MAX_QUERY = 12_000;

/** What a field may hold: what it expects, what it does not, and what breaks parsers. */
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    'eur',
    'jpy',
    'pm_card_visa',
    'tok_visa',
    'tok_visa_chargeDeclined',
    'card',
    '',
    '*',
    'charge.succeeded',
    'https://hooks.example.com/a',
    'http://127.0.0.1:9/',
    'a@b.example',
    '4242424242424242',
    '2026-11-01',
    '__proto__',
    'null',
    '-0',
    '1e3',
    null,
    true,
    false,
    0,
    1,
    -1,
    4200,
    99_999_999,
    2 ** 53,
    1e300,
    0.1,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer(),
  fc.double(),
);

describe('requests made at random from our own OpenAPI document', function () {
  this.timeout(10_000 + 100 * REQUESTS);
  let app: TestApp;
  let documented: ReadonlyMap<string, DocumentedRoute>;
  let names: readonly string[];

  before(async () => {
    app = await startApp();
    documented = await documentedRoutes(`${app.url}/v1/openapi.json`);
    names = await parameterNames(`${app.url}/v1/openapi.json`);
  });
  after(() => app.close());

  function requests() {
    const name = fc.oneof(
      { weight: 20, arbitrary: fc.nat(names.length - 1).map((index) => names[index] ?? '') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }) },
    );
    const { tree } = fc.letrec<{ tree: Record<string, unknown>; value: unknown }>((tie) => ({
      tree: fc.dictionary(name, tie('value'), { maxKeys: 8 }),
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        scalar,
        fc.array(scalar, { maxLength: 4 }),
        tie('tree'),
      ),
    }));
    return fc.record({ likely: fc.boolean(), parameters: tree, form: fc.boolean() });
  }

  describe('are answered with a status that it lists, and never with 5xx', () => {
    const statuses = new Set<number>();
    for (const route of V1_ROUTES) {
      it(route.name, () =>
        fc.assert(
          fc.asyncProperty(requests(), async ({ likely, parameters, form }) => {
            const sent = likely ? { ...LIKELY, ...parameters } : parameters;
            const reply = await send(route, sent, form);
            statuses.add(reply.status);
            const where = `${JSON.stringify(sent)}: ${reply.text}`;
            // 502 is the sandbox's own way to say that nothing was sent.
            expect(reply.status, where).to.be.below(500);
            expect(documented.get(route.name)?.statuses, where).to.include(reply.status);
            if (reply.status >= 400) expect(reply.error['code'], where).to.be.a('string');
          }),
          {
            numRuns: REQUESTS,
            endOnFailure: true,
            examples: [[{ likely: false, parameters: {}, form: true }]],
          },
        ),
      );
    }
    it('which is of each kind', () => {
      expect([...statuses]).to.include.members([200, 400, 404]);
    });
  });

  function send(route: V1Route, tree: object, form: boolean): Promise<Reply> {
    const { method } = route;
    const key = app.secretKey;
    if (method === 'GET') {
      const query = formText(tree).slice(0, MAX_QUERY);
      return ask(`${app.url}${route.path}?${query}`, { key });
    }
    const headers = form ? FORM : JSON_TYPE;
    const body = form ? formText(tree) : JSON.stringify(tree);
    return ask(app.url + route.path, { key, method, headers, body });
  }
});

/** Without these hardly any request would get past its first check. */
const LIKELY = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };

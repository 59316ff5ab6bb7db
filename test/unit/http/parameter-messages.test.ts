import { KeyCreateInput, KeyRotateInput, KeyUpdateInput } from '@paymount/core/access';
import { EndpointCreateInput, EndpointRotateSecretInput } from '@paymount/core/events';
import { PaymountError } from '@paymount/core/kernel';
import { ChargeCreateInput, PaymentMethodCreateInput } from '@paymount/core/payments';
import { parseInput } from '@paymount/http';
import { type ManagementServices, managementRoutes } from '@paymount/management';
import { expect } from 'chai';
import { z } from 'zod';
import { CreatedInput, ListQuery } from '../../../packages/http/src/lists.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

const KEY = { account: 'acct_1', livemode: true, type: 'restricted', name: 'Shop' };
const CHARGE = { amount: 100, currency: 'eur' };
const TIME = 'unix seconds or an ISO 8601 time such as 2026-11-21T18:00:00Z, from 1970 to 9999';
const RANGE = 'an address or a CIDR range such as 203.0.113.0/24';
const CreatedQuery = ListQuery.extend({ created: CreatedInput });

/** [parameters of which one is wrong, their schema, the message]. */
const CASES: readonly [Readonly<Record<string, unknown>>, z.ZodType, string][] = [
  [
    { overlap_seconds: -1 },
    KeyRotateInput,
    'overlap_seconds must be an integer from 0 to 2,592,000.',
  ],
  [
    { overlap_seconds: '-1' },
    KeyRotateInput,
    'overlap_seconds must be an integer from 0 to 2,592,000.',
  ],
  [
    { overlap_seconds: 1.5 },
    KeyRotateInput,
    'overlap_seconds must be an integer from 0 to 2,592,000.',
  ],
  [
    { overlap_seconds: 604_801 },
    EndpointRotateSecretInput,
    'overlap_seconds must be an integer from 0 to 604,800.',
  ],
  [{ limit: 101 }, ListQuery, 'limit must be an integer from 1 to 100.'],
  [
    { ...CHARGE, amount: '-1' },
    ChargeCreateInput,
    'amount must be an integer from 1 to 99,999,999.',
  ],
  [
    { type: 'card', card: { number: '0'.repeat(16), exp_month: 'May', exp_year: 2030 } },
    PaymentMethodCreateInput,
    'card[exp_month] must be an integer from 1 to 12.',
  ],
  [{ ...KEY, livemode: 'yes' }, KeyCreateInput, 'livemode must be true or false.'],
  [
    { ...KEY, type: 'open' },
    KeyCreateInput,
    'type must be one of secret, publishable, restricted.',
  ],
  [
    { ...KEY, name: 'x'.repeat(101) },
    KeyCreateInput,
    'name must be one line of 1 to 100 characters, not only spaces, without bidirectional controls.',
  ],
  [
    { ...KEY, name: 7 },
    KeyCreateInput,
    'name must be one line of 1 to 100 characters, not only spaces, without bidirectional controls.',
  ],
  [{ ...KEY, expires_at: 'soon' }, KeyCreateInput, `expires_at must be ${TIME}.`],
  [{ expires_at: 'soon' }, KeyUpdateInput, `expires_at must be empty, null, ${TIME}.`],
  [
    { created: 'soon' },
    CreatedQuery,
    `created must be a range such as created[gte]=2026-11-21T18:00:00Z, ${TIME}.`,
  ],
  [{ created: { gt: 'soon' } }, CreatedQuery, `created[gt] must be ${TIME}.`],
  [{ created: { gt: '1969-12-31T23:59:59Z' } }, CreatedQuery, `created[gt] must be ${TIME}.`],
  [{ created: { gt: '0000-01-01T00:00:00+14:00' } }, CreatedQuery, `created[gt] must be ${TIME}.`],
  [{ ...KEY, allowed_ips: [7] }, KeyCreateInput, `allowed_ips[0] must be ${RANGE}.`],
  [
    { ...KEY, allowed_ips: [] },
    KeyCreateInput,
    `allowed_ips must be a list of 1 to 100 items, each ${RANGE}.`,
  ],
  [
    { url: 'https://shop.example', enabled_events: [] },
    EndpointCreateInput,
    'enabled_events must be a list of 1 to 50 items, each an event type, a family such as charge.*, or *.',
  ],
  [{ ...CHARGE, metadata: { a: 1 } }, ChargeCreateInput, 'metadata[a] must be a text.'],
  [{ ...CHARGE, shipping: 'here' }, ChargeCreateInput, 'shipping must be empty or an object.'],
  [
    { ...CHARGE, receipt_email: 'ada' },
    ChargeCreateInput,
    'receipt_email must be empty or an e-mail address such as ada@example.com.',
  ],
];

describe('the message of a refused parameter', () => {
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi();
  });
  after(() => mounted.close());

  for (const [sent, schema, message] of CASES) {
    it(`reads "${message}" (${JSON.stringify(sent).slice(0, 40)})`, () => {
      expect(parameterMessage(schema, sent)).to.equal(message);
    });
  }

  it('is never one of zod, whichever parameter of whichever route is wrong', () => {
    const routes = [
      ...mounted.api.routes,
      ...managementRoutes({ directory: {} } as ManagementServices),
    ];
    let refused = 0;
    for (const { method, pattern, schema } of routes) {
      for (const name of Object.keys(schema.shape)) {
        for (const wrong of [true, -1, 1.5, 'x', '', null, [], [{}], {}, 'x'.repeat(3_000)]) {
          const one = z.strictObject({ [name]: schema.shape[name] ?? z.never() });
          const message = parameterMessage(one, { [name]: wrong });
          if (message === undefined) continue;
          refused += 1;
          const what = `${method} ${pattern} ${name}: ${message}`;
          // A parameter may have a name that zod uses as a word.
          expect(message.replace(name, 'it'), what).not.to.match(
            /Invalid(?!_)|Too (?:small|big)|expected \w+|, received \w+$/i,
          );
          expect(message, what).to.match(/^[A-Za-z].{8,}[.?]$/s);
        }
      }
    }
    expect(refused).to.be.above(500);
  });
});

function parameterMessage(
  schema: z.ZodType,
  sent: Readonly<Record<string, unknown>>,
): string | undefined {
  try {
    parseInput(schema, { ...sent }, 'test');
    return undefined;
  } catch (error) {
    if (PaymountError.is(error)) return error.message;
    throw error;
  }
}

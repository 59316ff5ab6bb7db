import { inStripeForm } from '@paymount/core/stripe-form';
import { expect } from 'chai';
import { ask } from '../../support/ask.ts';
import { answerOf, type Document, type Schema } from '../../support/openapi-document.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

const TIME = '2026-11-21T09:30:00.250Z';
const SECONDS = 1_795_253_400;
const JSON_TYPES = ['application/json', 'text/event-stream'];

/** A value of a schema in which every time is `TIME`, and every member is there. */
function sampleOf(schema: Schema & { readonly format?: string }, document: Document): unknown {
  const { $ref, anyOf, oneOf, items, properties, type } = schema;
  if ($ref !== undefined) {
    return sampleOf(document.components.schemas[$ref.split('/').pop() ?? ''] ?? {}, document);
  }
  const option = (anyOf ?? oneOf)?.find((each) => each.type !== 'null');
  if (option !== undefined) return sampleOf(option, document);
  if (schema.const !== undefined) return schema.const;
  if (items !== undefined) return [sampleOf(items, document)];
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, sampleOf(member, document)]),
    );
  }
  if (schema.format === 'date-time') return TIME;
  return [type].flat().includes('string') ? 'text' : 1;
}

describe("An answer in the form of Stripe's API", () => {
  let mounted: MountedApi;
  before(async () => {
    mounted = await mountApi();
  });
  after(() => mounted.close());

  it('has Unix seconds for every time that any route can answer', async () => {
    const document = (await ask(`${mounted.url}/v1/openapi.json`)).json as unknown as Document;
    let times = 0;
    for (const operations of Object.values(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const content = answerOf(operation, 200, document) ?? {};
        const schema = JSON_TYPES.map((type) => content[type]?.schema).find(Boolean);
        const sample = JSON.stringify(sampleOf(schema ?? {}, document));
        expect(inStripeForm(sample), `${method} ${sample}`).not.to.include(TIME);
        times += sample.split(TIME).length - 1;
      }
    }
    expect(times).to.be.greaterThan(40);
  });

  it('changes no text of a caller, wherever it stands and whatever it looks like', () => {
    const free = { object: 'event', created: TIME, api_version: 'mine', '10': TIME, '9': TIME };
    const charge = { object: 'charge', created: TIME, description: TIME, metadata: free };
    expect(JSON.parse(inStripeForm(JSON.stringify(charge), '2024-06-20'))).to.deep.equal({
      ...{ object: 'charge', created: SECONDS, description: TIME, metadata: free },
    });
  });

  it('keeps what stands where a time belongs and is none', () => {
    const charge = { object: 'charge', created: 'soon', captured_at: TIME };
    expect(JSON.parse(inStripeForm(JSON.stringify(charge)))).to.include({ created: 'soon' });
  });

  it('keeps what is no resource as it is, to the byte', () => {
    const error = '{"error":{"type":"card_error","message":"2026-11-21T09:30:00.250Z","at": 1.0}}';
    expect(inStripeForm(error, '2024-06-20')).to.equal(error);
  });

  it('gives events the version of the reader, or their own when that has none', () => {
    const event = JSON.stringify({ object: 'event', api_version: '2026-11-01', created: TIME });
    const list = `{"object":"list","has_more":false,"data":[${event}]}`;
    const shown = { object: 'event', api_version: '2024-06-20', created: SECONDS };
    expect(JSON.parse(inStripeForm(list, '2024-06-20'))).to.deep.equal({
      ...{ object: 'list', has_more: false, data: [shown] },
    });
    expect(JSON.parse(inStripeForm(event))).to.include({ api_version: '2026-11-01' });
  });
});

import { inStripeForm } from '@paymount/core/stripe-form';
import { expect } from 'chai';
import { ask } from '../../support/ask.ts';
import { type Document, findContent, type Schema } from '../../support/openapi-document.ts';
import { type MountedApi, mountApi } from './mounted-api.ts';

const TIME = '2026-11-21T09:30:00.250Z';
const SECONDS = 1_795_253_400;
const JSON_TYPES = ['application/json', 'text/event-stream'];

/** A value of a schema in which every time is `TIME`, and every member is there. */
function buildSample(schema: Schema & { readonly format?: string }, document: Document): unknown {
  const { $ref, anyOf, oneOf, items, properties, type } = schema;
  if ($ref !== undefined) {
    return buildSample(document.components.schemas[$ref.split('/').pop() ?? ''] ?? {}, document);
  }
  const option = (anyOf ?? oneOf)?.find((each) => each.type !== 'null');
  if (option !== undefined) return buildSample(option, document);
  if (schema.const !== undefined) return schema.const;
  if (items !== undefined) return [buildSample(items, document)];
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, buildSample(member, document)]),
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
        const content = findContent(operation, 200, document) ?? {};
        const schema = JSON_TYPES.map((type) => content[type]?.schema).find(Boolean);
        const sample = JSON.stringify(buildSample(schema ?? {}, document));
        expect(inStripeForm(sample), `${method} ${sample}`).not.to.include(TIME);
        times += sample.split(TIME).length - 1;
      }
    }
    expect(times).to.be.greaterThan(40);
  });

  it('changes no text of a caller, whatever it contains', () => {
    const free = { object: 'event', created: TIME, api_version: 'mine', '10': TIME, '9': TIME };
    const charge = { object: 'charge', created: TIME, description: TIME, metadata: free };
    expect(JSON.parse(inStripeForm(JSON.stringify(charge), '2024-06-20'))).to.deep.equal({
      object: 'charge',
      created: SECONDS,
      description: TIME,
      metadata: free,
    });
  });

  it('keeps a value in the place of a time that is not a time', () => {
    const charge = { object: 'charge', created: 'soon', captured_at: TIME };
    expect(JSON.parse(inStripeForm(JSON.stringify(charge)))).to.include({ created: 'soon' });
  });

  it('keeps a body that is not a resource unchanged, to the byte', () => {
    const error = '{"error":{"type":"card_error","message":"2026-11-21T09:30:00.250Z","at": 1.0}}';
    expect(inStripeForm(error, '2024-06-20')).to.equal(error);
  });

  it('gives events the version of the reader, or their own if the reader has none', () => {
    const event = JSON.stringify({ object: 'event', api_version: '2026-11-01', created: TIME });
    const list = `{"object":"list","has_more":false,"data":[${event}]}`;
    const shown = { object: 'event', api_version: '2024-06-20', created: SECONDS };
    expect(JSON.parse(inStripeForm(list, '2024-06-20'))).to.deep.equal({
      object: 'list',
      has_more: false,
      data: [shown],
    });
    expect(JSON.parse(inStripeForm(event))).to.include({ api_version: '2026-11-01' });
  });
});

import { PaymountError } from '@paymount/core/kernel';
import { inStripeForm } from '@paymount/core/stripe-form';
import { expect } from 'chai';
import { jsonSizeOfAll } from '../../../packages/http/src/json-size.ts';
import { renderJson } from '../../../packages/http/src/render-json.ts';

const CREATED = '2026-11-21T09:30:00.000Z';
const SECONDS = 1_795_253_400;

describe('the JSON of an answer', () => {
  it('has metadata as the caller wrote them, even if they look like a large resource', async () => {
    const metadata = { object: 'charge', created: CREATED, text: 'a'.repeat(70_000) };
    const charge = { id: 'ch_1', object: 'charge', created: CREATED, metadata };
    const expanded = { object: 'refund', id: 're_1', created: CREATED, charge };
    // Expanding measures what it adds; large resources are written apart from what has them.
    await jsonSizeOfAll([expanded], Number.MAX_SAFE_INTEGER);
    const written = await renderJson(expanded, { form: (text) => inStripeForm(text) });
    expect(JSON.parse(written.toString())).to.deep.equal({
      object: 'refund',
      id: 're_1',
      created: SECONDS,
      charge: { id: 'ch_1', object: 'charge', created: SECONDS, metadata },
    });
  });

  it('names `limit` as the cure for too much only in a list', async () => {
    const parts = Array.from({ length: 3 }, () => ({ object: 'x', text: 'a'.repeat(12_000_000) }));
    const faults: unknown[] = [];
    for (const object of ['list', 'charge']) {
      await renderJson({ object, data: parts }).catch((error: unknown) => {
        if (PaymountError.is(error)) faults.push([error.code, error.param]);
      });
    }
    expect(faults).to.deep.equal([
      ['response_too_large', 'limit'],
      ['response_too_large', undefined],
    ]);
  });
});

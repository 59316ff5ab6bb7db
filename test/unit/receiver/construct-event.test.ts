import { expect } from 'chai';
import { constructEvent, SignatureError } from 'paymount-receiver';
import { createSigningSecret, signDelivery } from 'paymount-receiver/internal';

const secret = createSigningSecret();
const event = {
  id: 'evt_1',
  object: 'event',
  type: 'charge.succeeded',
  api_version: '2026-01-01',
  created: '2026-11-22T00:00:00.000Z',
  livemode: false,
  data: { object: { id: 'ch_1' } },
};
const body = Buffer.from(JSON.stringify(event));

/** As it would be sent now. */
function signed(secrets: readonly string[]): string {
  const timestampSeconds = Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000);
  return signDelivery({ body, secrets, timestampSeconds, eventId: 'evt_1' })['Service-Signature'];
}

describe('constructEvent', () => {
  it('gives the event of a delivery that the secret signed', () => {
    expect(constructEvent(body, signed([secret]), secret)).to.deep.equal(event);
    const both = [createSigningSecret(), secret];
    expect(constructEvent(body, signed([secret]), both)).to.deep.equal(event);
  });

  it('refuses any other, and says why', () => {
    const refusals: readonly (readonly [() => unknown, string])[] = [
      [() => constructEvent(body, signed([secret]), createSigningSecret()), 'signature_mismatch'],
      [() => constructEvent(body, undefined, secret), 'header_missing'],
    ];
    for (const [call, code] of refusals) {
      expect(call).to.throw(SignatureError).with.property('code', code);
    }
  });
});

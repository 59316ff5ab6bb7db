import { expect } from 'chai';
import { SignatureError, verify } from 'paymount-receiver';
import { at, headerA, sign, vector } from '../../support/vector.ts';

const { body, secretA, secretB } = vector;

type Delivery = Parameters<typeof verify>[0];

function delivery(change: object = {}): Delivery {
  const headers = { 'service-signature': headerA };
  return { body, headers, secret: secretA, now: at(), ...change } as Delivery;
}

function refusal(change: object): { code: string; message: string } {
  try {
    verify(delivery(change));
  } catch (error) {
    expect(error).to.be.instanceOf(SignatureError);
    const { code, message } = error as SignatureError;
    return { code, message };
  }
  throw new Error('The delivery was accepted.');
}

describe('verify', () => {
  it('returns the event of a verified delivery', () => {
    const event = verify(delivery({ body: Buffer.from(body) }));
    expect(event.id).to.equal('evt_01k8w3f0g0e5ht3nq2v7yb6c9d');
    expect(event.type).to.equal('charge.succeeded');
    expect(event.data.object['metadata']).to.deep.equal({ note: 'café 😀' });
  });

  it('finds the header in any case, in a plain object and in a Headers object', () => {
    for (const headers of [
      { 'Service-Signature': headerA },
      { 'SERVICE-SIGNATURE': headerA },
      { 'service-signature': [headerA] },
      new Headers({ 'Service-Signature': headerA }),
    ]) {
      expect(verify(delivery({ headers })).livemode).to.equal(false);
    }
  });

  it('tries several secrets during a rotation', () => {
    expect(verify(delivery({ secret: undefined, secrets: [secretB, secretA] })).object).to.equal(
      'event',
    );
  });

  it('uses the current time by default', () => {
    const header = sign(body, Math.floor(Date.now() / 1000), secretA);
    const headers = { 'service-signature': header };
    expect(verify({ body, headers, secret: secretA }).object).to.equal('event');
    expect(() => verify({ body, headers: { 'service-signature': headerA }, secret: secretA }))
      .to.throw(SignatureError)
      .with.property('code', 'timestamp_outside_tolerance');
  });

  it('takes a tolerance of its own', () => {
    expect(verify(delivery({ now: at(3_600), toleranceSeconds: 3_600 })).object).to.equal('event');
    expect(refusal({ now: at(1), toleranceSeconds: 0 }).code).to.equal(
      'timestamp_outside_tolerance',
    );
  });
});

describe('SignatureError', () => {
  it('header_missing names what was expected and what was there', () => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': headerA };
    expect(refusal({ headers })).to.deep.equal({
      code: 'header_missing',
      message:
        'Expected the header Service-Signature; the request has content-type, stripe-signature. ' +
        'Is this request a delivery, and does a proxy in front remove headers?',
    });
    expect(refusal({ headers: new Headers() }).message).to.contain('the request has no headers.');
  });

  it('header_malformed names the form and the offending part', () => {
    expect(refusal({ headers: { 'service-signature': 't=1795253405, v1=ab' } })).to.deep.equal({
      code: 'header_malformed',
      message:
        'Expected Service-Signature as t=<unix seconds>,v1=<64 lowercase hex digits>, without ' +
        'spaces; the offending part is " v1=ab".',
    });
    const twice = refusal({ headers: { 'service-signature': [headerA, headerA] } });
    expect(twice.code).to.equal('header_malformed');
    const long = refusal({ headers: { 'service-signature': 'x'.repeat(10_000) } });
    expect(long.message.length).to.be.lessThan(250);
  });

  it('body_not_raw says that the JSON was parsed and where to mount', () => {
    expect(refusal({ body: JSON.parse(body) })).to.deep.equal({
      code: 'body_not_raw',
      message:
        'The body is a parsed object, but only the raw bytes can be verified: something parsed ' +
        'the JSON before verification. Mount the receiver before express.json(), or give its ' +
        'route express.raw({ type: "*/*" }).',
    });
    expect(refusal({ body: undefined }).message).to.match(/^The body is missing, but only the raw/);
  });

  it('secret_malformed recognises an API key and never shows the value', () => {
    const cure =
      'expected whsec_ and 44 characters, the secret shown when the endpoint was created.';
    // Assembled so that scanners do not take it for a key.
    const key = ['sk', 'live', 'abcdefghijklmnopqrstuvwxyz'].join('_');
    expect(refusal({ secret: key })).to.deep.equal({
      code: 'secret_malformed',
      message: `This looks like an API key; ${cure}`,
    });
    expect(refusal({ secret: `${secretA}\n` }).message).to.equal(
      `The signing secret has white space around it; ${cure}`,
    );
    expect(refusal({ secret: undefined }).message).to.equal(
      `The signing secret is empty or not a string (is its environment variable set?); ${cure}`,
    );
    expect(refusal({ secret: 'whsec_short' }).message).to.equal(
      `The signing secret has 11 characters and the wrong form; ${cure}`,
    );
    expect(refusal({ secret: undefined, secrets: [] }).message).to.match(/^No signing secret/);
  });

  it('timestamp_outside_tolerance tells past from future, in seconds', () => {
    expect(refusal({ now: at(412) })).to.deep.equal({
      code: 'timestamp_outside_tolerance',
      message:
        'The signature was made 412 s in the past; at most 300 s are allowed. ' +
        "Check this machine's clock; an old request may also be a replay by a third party.",
    });
    expect(refusal({ now: at(-301) }).message).to.match(
      /^The signature was made 301 s in the futu/,
    );
  });

  it('signature_mismatch gives the bytes hashed and the end of each secret tried', () => {
    expect(
      refusal({ body: `${body} `, secret: undefined, secrets: [secretA, secretB] }),
    ).to.deep.equal({
      code: 'signature_mismatch',
      message:
        'No signature matches: 324 bytes hashed with whsec_...Hh8=, whsec_...Pj8=. ' +
        'Either this is the secret of another endpoint, or the body changed on its way ' +
        '(parsed and written again, another encoding).',
    });
  });

  it('body_not_event refuses signed bytes that are not an event', () => {
    const others = [
      '',
      'null',
      '[]',
      '"text"',
      '{',
      '{"id":"evt_1"}',
      body.replace('"event"', '1'),
    ];
    for (const other of others) {
      const headers = { 'service-signature': sign(other, vector.timestampSeconds, secretA) };
      expect(refusal({ body: other, headers }).code, other).to.equal('body_not_event');
    }
  });

  it('body_not_event says what an event with Unix seconds is for', () => {
    const other = body.replace('"2026-11-21T09:30:00.000Z"', '1795253400');
    const headers = { 'service-signature': sign(other, vector.timestampSeconds, secretA) };
    expect(refusal({ body: other, headers })).to.deep.equal({
      code: 'body_not_event',
      message:
        "The signature is valid, but the endpoint is registered with a version of Stripe's API, so " +
        "that its events are for Stripe's SDKs: verify them with one, or register an endpoint " +
        'without `api_version`.',
    });
  });

  it('puts no secret into any message', () => {
    for (const change of [{ body: 'x' }, { now: at(9_999) }, { headers: {} }, { body: {} }]) {
      expect(refusal(change).message).to.not.contain(secretA.slice(6, 30));
    }
  });
});

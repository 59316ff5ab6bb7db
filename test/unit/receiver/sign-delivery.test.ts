import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { createSigningSecret, isSigningSecret, signDelivery } from 'paymount-receiver/internal';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { vector } from '../../support/vector.ts';

const { body, eventId, timestampSeconds, secretA, secretB } = vector;

describe('createSigningSecret', () => {
  it('makes whsec_ and the base64 of 32 bytes, another one each time', () => {
    const secrets = new Set(Array.from({ length: 100 }, createSigningSecret));
    expect(secrets.size).to.equal(100);
    for (const secret of secrets) {
      expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).to.have.length(32);
    }
  });

  it('is recognised by isSigningSecret, which refuses other forms', () => {
    expect(isSigningSecret(secretA)).to.equal(true);
    const others = [
      secretA.slice(0, -1),
      `${secretA}\n`,
      secretA.replace('whsec_', ''),
      secretA.replace('A', '-'),
      '',
      undefined,
      32,
    ];
    for (const other of others) expect(isSigningSecret(other), String(other)).to.equal(false);
  });
});

describe('signDelivery', () => {
  it('gives the bytes of the published vector', () => {
    expect(Buffer.byteLength(body)).to.equal(323);
    expect(signDelivery({ body, eventId, timestampSeconds, secrets: [secretA] })).to.deep.equal({
      'Service-Signature': `t=1795253405,v1=${vector.serviceA}`,
      'webhook-id': 'evt_01k8w3f0g0e5ht3nq2v7yb6c9d',
      'webhook-timestamp': '1795253405',
      'webhook-signature': `v1,${vector.webhookA}`,
    });
  });

  it('gives a Buffer and a string of the same bytes the same signature', () => {
    const facts = { eventId, timestampSeconds, secrets: [secretA] };
    expect(signDelivery({ ...facts, body: Buffer.from(body) })).to.deep.equal(
      signDelivery({ ...facts, body }),
    );
  });

  it('carries one signature per secret during a rotation, newest first', () => {
    const headers = signDelivery({ body, eventId, timestampSeconds, secrets: [secretB, secretA] });
    expect(headers['Service-Signature']).to.equal(
      `t=1795253405,v1=${vector.serviceB},v1=${vector.serviceA}`,
    );
    const webhookB = createHmac('sha256', Buffer.from(secretB.slice(6), 'base64'))
      .update(`${eventId}.${timestampSeconds}.${body}`)
      .digest('base64');
    expect(headers['webhook-signature']).to.equal(`v1,${webhookB} v1,${vector.webhookA}`);
  });
});

describe('a signed delivery', () => {
  const now = Math.floor(Date.now() / 1000);
  const signed = signDelivery({
    body,
    eventId,
    timestampSeconds: now,
    secrets: [secretB, secretA],
  });
  const webhookHeaders = {
    'webhook-id': signed['webhook-id'],
    'webhook-timestamp': signed['webhook-timestamp'],
    'webhook-signature': signed['webhook-signature'],
  };

  for (const secret of [secretA, secretB]) {
    it(`verifies with the stripe, svix and standardwebhooks libraries (${secret.slice(-4)})`, () => {
      const bytes = Buffer.from(body);
      const header = signed['Service-Signature'];
      expect(Stripe.webhooks.constructEvent(bytes, header, secret).id).to.equal(eventId);
      expect(new SvixWebhook(secret).verify(body, webhookHeaders)).to.have.property('id', eventId);
      expect(new StandardWebhook(secret).verify(body, webhookHeaders)).to.have.property(
        'id',
        eventId,
      );
    });
  }

  it('fails with those libraries when one byte of the body changed', () => {
    const changed = body.replace('4200', '4300');
    const header = signed['Service-Signature'];
    expect(() => Stripe.webhooks.constructEvent(changed, header, secretA)).to.throw();
    expect(() => new SvixWebhook(secretA).verify(changed, webhookHeaders)).to.throw();
    expect(() => new StandardWebhook(secretA).verify(changed, webhookHeaders)).to.throw();
  });
});

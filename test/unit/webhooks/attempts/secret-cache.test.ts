import type { ClaimedDelivery } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { SecretCache } from '../../../../packages/webhooks/src/attempts/secret-cache.ts';
import { type FakeClock, fakeClock } from '../../../support/clock.ts';

const ENDPOINT = newId('we');

function claimed(version: number, ...secrets: readonly string[]): ClaimedDelivery {
  return {
    id: newId('dlv'),
    accountId: newId('acct'),
    environment: 'test',
    eventId: newId('evt'),
    eventType: 'charge.succeeded',
    endpointId: ENDPOINT,
    url: 'https://hooks.example.com/',
    lane: 'fast',
    secretVersion: version,
    secrets: secrets.map((id) => ({ id, sealed: `sealed ${id}` })),
    body: '{}',
    apiVersion: '2026-11-01',
    origin: 'event',
    attempt: 1,
    dueAt: new Date(),
    leaseToken: 'token',
  };
}

describe('SecretCache', () => {
  let clock: FakeClock;
  let opened: string[];
  let cache: SecretCache;
  beforeEach(() => {
    clock = fakeClock('2026-11-01T00:00:00Z');
    opened = [];
    const sealer = {
      seal: async () => ({ sealed: '', kid: '' }),
      open: async (sealed: string, context: string) => {
        opened.push(context);
        return sealed.replace('sealed', 'open');
      },
    };
    cache = new SecretCache({ sealer, clock });
  });

  it('opens a secret once in 60 s', async () => {
    expect(await cache.open(claimed(1, 'whs_1'))).to.deep.equal(['open whs_1']);
    clock.advance(59_999);
    expect(await cache.open(claimed(1, 'whs_1'))).to.deep.equal(['open whs_1']);
    expect(opened).to.deep.equal(['endpoint_secrets.sealed:whs_1']);
    clock.advance(1);
    await cache.open(claimed(1, 'whs_1'));
    expect(opened).to.have.length(2);
  });

  it('signs with both secrets from the moment of a rotation, and with one once the old expired', async () => {
    await cache.open(claimed(1, 'whs_1'));
    expect(await cache.open(claimed(2, 'whs_2', 'whs_1'))).to.deep.equal([
      'open whs_2',
      'open whs_1',
    ]);
    expect(await cache.open(claimed(2, 'whs_2'))).to.deep.equal(['open whs_2']);
  });

  it('refuses an endpoint without a secret', async () => {
    const error = await cache.open(claimed(1)).catch((reason: unknown) => reason);
    expect(String(error)).to.equal(`Error: Endpoint ${ENDPOINT} has no secret.`);
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { newId } from '@paymount/core/kernel';
import type {
  AuthorizationCode,
  Grant,
  OAuthRepositories,
  RefreshToken,
} from '@paymount/core/oauth';
import { AT, later } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { storedPlatform } from './platforms.ts';

const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

function hashOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

async function storedGrant(
  setup: StorageSetup,
  status: Grant['status'] = 'active',
): Promise<Grant> {
  const platform = await storedPlatform(setup, []);
  const grant: Grant = {
    ...setup.owner,
    id: newId('grt'),
    version: 1,
    platformId: platform.id,
    scopes: ['charges:read', 'payouts:read'],
    status,
    approvedBy: 'user-1',
    created: AT,
  };
  await change(setup, ({ grants }) => grants.insert(grant));
  return grant;
}

function change<Result>(
  { access }: StorageSetup,
  work: (rows: OAuthRepositories) => Promise<Result>,
): Promise<Result> {
  return access.change(async (rows) => ({ result: await work(rows), subjects: [], audit: [] }));
}

function sampleCode({ id, platformId }: Grant): AuthorizationCode {
  return {
    hash: hashOf(newId('req')),
    grantId: id,
    platformId,
    redirectUri: 'https://app.example.com/callback',
    codeChallenge: 'x'.repeat(43),
    created: AT,
    expiresAt: later(60_000),
  };
}

function sampleRefreshToken({ id }: Grant): RefreshToken {
  return { id: newId('rtk'), grantId: id, created: AT, expiresAt: later(1_000) };
}

/** Grants, codes and tokens of platforms. */
export const grantCases: StorageCases = {
  'keeps every field of a grant, and shows it only to admins who may see it': async (setup) => {
    const grant = await storedGrant(setup);
    const { grants } = setup.directory;
    assert.deepEqual(await grants.find(grant.id), grant);
    assert.deepEqual(await setup.oauthTokens.findGrant(grant.id), grant);
    const filter = { platform: grant.platformId, status: 'active' } as const;
    assert.deepEqual((await grants.list(EVERYTHING, filter, { limit: 10 })).data, [grant]);
    const other = { accounts: [newId('acct')], environments: ['test'] } as const;
    assert.deepEqual((await grants.list(other, {}, { limit: 10 })).data, []);
    const { platformId } = grant;
    const revoked: Grant = {
      ...grant,
      version: 2,
      status: 'revoked',
      revokedAt: later(1),
      revokedReason: 'reuse',
    };
    const open = await change(setup, async (rows) => {
      const before = await rows.grants.findOpenForUpdate(setup.owner, platformId);
      await rows.grants.update(revoked);
      return [before, await rows.grants.findOpenForUpdate(setup.owner, platformId)];
    });
    assert.deepEqual(open, [[grant], []]);
    assert.deepEqual(await grants.find(grant.id), revoked);
  },
  [`shows one of ${RACERS} callers a code that is unused`]: async (setup) => {
    const code = sampleCode(await storedGrant(setup));
    await change(setup, ({ tokens }) => tokens.insertCode(code));
    const found = await race(() =>
      change(setup, async ({ tokens }) => {
        const seen = await tokens.findCodeForUpdate(code.hash);
        await tokens.useCode(code.hash, later(1));
        return seen;
      }),
    );
    const unused = found.filter((seen) => seen?.usedAt === undefined);
    assert.deepEqual(unused, [code]);
    assert.equal(
      found.filter((seen) => seen?.usedAt?.getTime() === later(1).getTime()).length,
      RACERS - 1,
    );
  },
  'keeps tokens, and erases the sealed pair when its refresh token is exchanged': async (setup) => {
    const grant = await storedGrant(setup);
    const [first, second, third] = [1, 2, 3].map(() => sampleRefreshToken(grant));
    assert.ok(first && second && third);
    const consumed = { at: later(5), successorId: second.id, scope: 'charges:read' };
    await change(setup, async ({ tokens }) => {
      for (const token of [first, second, third]) {
        await tokens.insertRefreshToken(token, hashOf(token.id));
      }
      await tokens.consumeRefreshToken(first.id, { ...consumed, sealedPair: 'pair', kid: 'kid' });
    });
    const read = (token: RefreshToken) => setup.oauthTokens.findRefreshToken(hashOf(token.id));
    assert.deepEqual(await read(first), {
      ...first,
      consumed: { ...consumed, sealedPair: 'pair' },
    });
    const used = await change(setup, async ({ tokens }) => {
      const before = await tokens.isRefreshTokenConsumed(second.id);
      const next = { at: later(6), successorId: third.id, scope: '', sealedPair: 'p', kid: 'kid' };
      await tokens.consumeRefreshToken(second.id, next);
      return [before, await tokens.isRefreshTokenConsumed(second.id)];
    });
    assert.deepEqual(used, [false, true]);
    assert.deepEqual(await read(first), { ...first, consumed });
  },
  'finds an access token with what decides about it, and no scope that its platform lost': async (
    setup,
  ) => {
    const grant = await storedGrant(setup);
    const hash = hashOf(grant.id);
    const token = { id: newId('atk'), grantId: grant.id, scopes: grant.scopes, created: AT };
    await change(setup, ({ tokens }) =>
      tokens.insertAccessToken({ ...token, expiresAt: later(1_000) }, hash),
    );
    const { credential } = await setup.credentials.findTokenByHash(hash);
    assert.deepEqual(credential && { ...credential, hash: Buffer.from(credential.hash) }, {
      ...setup.owner,
      tokenId: token.id,
      grantId: grant.id,
      platformId: grant.platformId,
      hash: Buffer.from(hash),
      scopes: ['charges:read'],
      expiresAt: later(1_000),
      isRevoked: false,
      grantVersion: 1,
      platformVersion: 1,
      accountVersion: 1,
      accountStatus: 'active',
    });
    await change(setup, ({ tokens }) => tokens.revokeAccessToken(token.id, later(1)));
    const after = await setup.credentials.findTokenByHash(hash);
    assert.equal(after.credential?.isRevoked, true);
    assert.equal((await setup.credentials.findTokenByHash(hashOf('none'))).credential, undefined);
  },
  'deletes codes, tokens and grants that have ended, and nothing else': async (setup) => {
    const day = 86_400_000;
    const [pending, grant] = [await storedGrant(setup, 'pending'), await storedGrant(setup)];
    const code = sampleCode(pending);
    const token = sampleRefreshToken(grant);
    await change(setup, async ({ tokens }) => {
      await tokens.insertCode(code);
      await tokens.insertRefreshToken(token, hashOf(token.id));
    });
    await setup.oauthTokens.purge(later(day - 1), 100);
    assert.ok(await setup.oauthTokens.findGrant(pending.id));
    await setup.oauthTokens.purge(later(2 * day), 100);
    assert.equal(await setup.oauthTokens.findGrant(pending.id), undefined);
    const codeAfter = await change(setup, ({ tokens }) => tokens.findCodeForUpdate(code.hash));
    assert.equal(codeAfter, undefined);
    assert.ok(await setup.oauthTokens.findRefreshToken(hashOf(token.id)));
    await setup.oauthTokens.purge(later(31 * day), 100);
    assert.equal(await setup.oauthTokens.findRefreshToken(hashOf(token.id)), undefined);
    assert.deepEqual(await setup.oauthTokens.findGrant(grant.id), grant);
  },
};

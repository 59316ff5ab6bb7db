import assert from 'node:assert/strict';
import { hashCredential } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';
import type { Interaction, InteractionUser } from '@paymount/core/oauth';
import { RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, later } from '../samples.ts';
import { storedPlatform } from './platforms.ts';

const USER: InteractionUser = { userId: 'user-1', sessionHash: hashCredential('session-1') };
const OTHER_USER: InteractionUser = { userId: 'user-2', sessionHash: hashCredential('session-2') };
const HOUR_MS = 3_600_000;

async function storedInteraction(bench: StorageBench): Promise<Interaction> {
  const platform = await storedPlatform(bench, []);
  const interaction: Interaction = {
    id: newId('int'),
    environment: platform.environment,
    platformId: platform.id,
    redirectUri: 'https://app.example.com/callback?x=1',
    namesRedirectUri: true,
    scopes: ['charges:read', 'payouts:read'],
    state: 'a state',
    codeChallenge: 'x'.repeat(43),
    browserHash: hashCredential('secret'),
    logins: 0,
    created: AT,
    expiresAt: later(600_000),
  };
  await bench.interactions.insert(interaction);
  return interaction;
}

function decide(bench: StorageBench, { id }: Interaction, user = USER, now = later(1)) {
  return bench.access.change(async ({ interactions }) => ({
    result: await interactions.decide(id, user, now),
    subjects: [],
    audit: [],
  }));
}

/** Requests of platforms that wait for the answer of a user. */
export const interactionCases: StorageCases = {
  'keeps every field of an interaction, and binds it to one user and session': async (bench) => {
    const { interactions } = bench;
    const interaction = await storedInteraction(bench);
    const { id } = interaction;
    assert.deepEqual(await interactions.find(id), interaction);
    assert.equal(await interactions.find(newId('int')), undefined);
    assert.equal(await interactions.bind(id, USER), true);
    assert.equal(await interactions.bind(id, USER), true);
    assert.equal(await interactions.bind(id, OTHER_USER), false);
    assert.equal(await interactions.bind(id, { ...USER, ...sessionOf('session-2') }), false);
    assert.deepEqual(await interactions.find(id), { ...interaction, ...USER });
  },
  'binds an interaction to the same user in a new session after a login': async (bench) => {
    const { interactions } = bench;
    const { id } = await storedInteraction(bench);
    await interactions.bind(id, USER);
    await interactions.countLogin(id);
    const { logins, userId, sessionHash } = (await interactions.find(id)) ?? {};
    assert.deepEqual([logins, userId, sessionHash], [1, 'user-1', undefined]);
    assert.equal(await interactions.bind(id, OTHER_USER), false);
    assert.equal(await interactions.bind(id, { ...USER, ...sessionOf('session-2') }), true);
  },
  [`lets one of ${RACERS} answers decide an interaction`]: async (bench) => {
    const interaction = await storedInteraction(bench);
    assert.equal(await decide(bench, interaction), false);
    await bench.interactions.bind(interaction.id, USER);
    assert.equal(await decide(bench, interaction, OTHER_USER), false);
    assert.equal(await decide(bench, interaction, { ...USER, ...sessionOf('other') }), false);
    assert.equal(await decide(bench, interaction, USER, interaction.expiresAt), false);
    const decided = await race(() => decide(bench, interaction));
    assert.equal(decided.filter(Boolean).length, 1);
    const { decidedAt } = (await bench.interactions.find(interaction.id)) ?? {};
    assert.deepEqual(decidedAt, later(1));
    assert.equal(await bench.interactions.bind(interaction.id, OTHER_USER), false);
  },
  'deletes an interaction an hour after it expired': async (bench) => {
    const { id, expiresAt } = await storedInteraction(bench);
    const after = (ms: number) => new Date(expiresAt.getTime() + ms);
    await bench.oauthTokens.purge(after(HOUR_MS), 100);
    assert.ok(await bench.interactions.find(id));
    await bench.oauthTokens.purge(after(HOUR_MS + 1), 100);
    assert.equal(await bench.interactions.find(id), undefined);
  },
};

function sessionOf(name: string): { readonly sessionHash: Uint8Array } {
  return { sessionHash: hashCredential(name) };
}

import assert from 'node:assert/strict';
import { hashCredential } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';
import type { Interaction, InteractionUser } from '@paymount/core/oauth';
import { AT, later } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { storedPlatform } from './platforms.ts';

const USER: InteractionUser = { userId: 'user-1', sessionHash: hashCredential('session-1') };
const OTHER_USER: InteractionUser = { userId: 'user-2', sessionHash: hashCredential('session-2') };
const HOUR_MS = 3_600_000;

async function storedInteraction(setup: StorageSetup): Promise<Interaction> {
  const platform = await storedPlatform(setup, []);
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
  await setup.interactions.insert(interaction);
  return interaction;
}

function decide(setup: StorageSetup, { id }: Interaction, user = USER, now = later(1)) {
  return setup.access.change(async ({ interactions }) => ({
    result: await interactions.decide(id, user, now),
    subjects: [],
    audit: [],
  }));
}

/** Requests of platforms that wait for the answer of a user. */
export const interactionCases: StorageCases = {
  'keeps every field of an interaction, and binds it to one user and session': async (setup) => {
    const { interactions } = setup;
    const interaction = await storedInteraction(setup);
    const { id } = interaction;
    assert.deepEqual(await interactions.find(id), interaction);
    assert.equal(await interactions.find(newId('int')), undefined);
    assert.equal(await interactions.bind(id, USER), true);
    assert.equal(await interactions.bind(id, USER), true);
    assert.equal(await interactions.bind(id, OTHER_USER), false);
    assert.equal(await interactions.bind(id, { ...USER, ...sessionOf('session-2') }), false);
    assert.deepEqual(await interactions.find(id), { ...interaction, ...USER });
  },
  'binds an interaction to the same user in a new session after a login': async (setup) => {
    const { interactions } = setup;
    const { id } = await storedInteraction(setup);
    await interactions.bind(id, USER);
    await interactions.countLogin(id);
    const { logins, userId, sessionHash } = (await interactions.find(id)) ?? {};
    assert.deepEqual([logins, userId, sessionHash], [1, 'user-1', undefined]);
    assert.equal(await interactions.bind(id, OTHER_USER), false);
    assert.equal(await interactions.bind(id, { ...USER, ...sessionOf('session-2') }), true);
  },
  [`lets one of ${RACERS} answers decide an interaction`]: async (setup) => {
    const interaction = await storedInteraction(setup);
    assert.equal(await decide(setup, interaction), false);
    await setup.interactions.bind(interaction.id, USER);
    assert.equal(await decide(setup, interaction, OTHER_USER), false);
    assert.equal(await decide(setup, interaction, { ...USER, ...sessionOf('other') }), false);
    assert.equal(await decide(setup, interaction, USER, interaction.expiresAt), false);
    const decided = await race(() => decide(setup, interaction));
    assert.equal(decided.filter(Boolean).length, 1);
    const { decidedAt } = (await setup.interactions.find(interaction.id)) ?? {};
    assert.deepEqual(decidedAt, later(1));
    assert.equal(await setup.interactions.bind(interaction.id, OTHER_USER), false);
  },
  'deletes an interaction an hour after it expired': async (setup) => {
    const { id, expiresAt } = await storedInteraction(setup);
    const after = (ms: number) => new Date(expiresAt.getTime() + ms);
    await setup.oauthTokens.purge(after(HOUR_MS), 100);
    assert.ok(await setup.interactions.find(id));
    await setup.oauthTokens.purge(after(HOUR_MS + 1), 100);
    assert.equal(await setup.interactions.find(id), undefined);
  },
};

function sessionOf(name: string): { readonly sessionHash: Uint8Array } {
  return { sessionHash: hashCredential(name) };
}

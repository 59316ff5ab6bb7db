import type { KeyEdit, MadeKey, NewKey } from '@paymount/auth';
import {
  KEY_TYPES,
  type Key,
  type KeyCreate,
  KeyCreateInput,
  type KeyJson,
  KeyResource,
  KeyRotateInput,
  type KeyUpdate,
  KeyUpdateInput,
  PaymountError,
  toKeyResource,
} from '@paymount/core';
import { listOf, Nothing, pageOf, toListResource } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  type ManagementRoute,
  newOwner,
  requireFreshLogin,
  routesUnder,
  target,
} from '../admin-call.ts';
import { filterOf, ReachQuery } from '../reach-query.ts';
import { callerOf, type ManagementServices } from '../services.ts';
import { keyUseRoutes } from './key-use-routes.ts';

const PATH = '/keys';
const NAME = { noun: 'key', prefix: 'key' } as const;
const KeyListQuery = ReachQuery.extend({
  status: z
    .enum(['active', 'revoked'])
    .optional()
    .meta({ description: 'A key that has expired counts as active.' }),
  type: z.enum(KEY_TYPES).optional(),
});

/** Keys: list, retrieve, create, change, rotate, revoke; how they are used. */
export function keyRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [
    ...readRoutes(services),
    ...makeRoutes(services),
    ...changeRoutes(services),
    ...keyUseRoutes(services, (call, id) => find(services, call, id)),
  ];
}

function find({ directory }: ManagementServices, call: AdminCall, id: string): Promise<Key> {
  return target(call, NAME, id, (known) => directory.keys.find(known));
}

/** How a key is shown; looked up before a change, so that its stored answer is the one sent. */
async function showing(services: ManagementServices, key: Key): Promise<(key: Key) => KeyJson> {
  const sightOf = await services.keySights([key]);
  return (row) => toKeyResource(row, sightOf(row));
}

/** How a new key is shown, this once. */
function showingNew({ now }: AdminCall): (made: MadeKey) => KeyJson {
  return ({ key, secret }) => toKeyResource(key, { now }, secret);
}

function readRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { keySights, directory } = services;
  const route = routesUnder(PATH);
  const facts = { permission: 'keys.read', answers: KeyResource } as const;

  route.get(
    '',
    {
      ...facts,
      operationId: 'listKeys',
      summary: 'List keys, newest first',
      query: KeyListQuery,
      answers: listOf('KeyList', KeyResource),
    },
    async ({ call, query: { type, ...query } }) => {
      const filter = {
        ...(await filterOf(call, query, directory.accounts)),
        ...(type && { type }),
      };
      const page = await directory.keys.list(call.reach, filter, pageOf(query));
      const sightOf = await keySights(page.data);
      return toListResource(PATH, page, (key) => toKeyResource(key, sightOf(key)));
    },
  );
  route.get(
    '/:id',
    { ...facts, operationId: 'retrieveKey', summary: 'Retrieve a key', query: Nothing },
    async ({ call, path }) => {
      const key = await find(services, call, path.id);
      return (await showing(services, key))(key);
    },
  );
  return route.routes;
}

function makeRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { keys, directory, sealer } = services;
  const route = routesUnder(PATH);
  const facts = { permission: 'keys.write', answers: KeyResource } as const;

  route.post(
    '',
    {
      ...facts,
      freshLogin: true,
      operationId: 'createKey',
      summary: 'Make a key; the answer alone shows it',
      body: KeyCreateInput,
    },
    async ({ call, body }) => {
      const { account, livemode, ...rest } = body;
      const owner = await newOwner(call, { account, livemode }, directory.accounts);
      const input = { ...owner, createdBy: call.admin.id, ...newKeyOf(rest) };
      const show = showingNew(call);
      const sealing = { sealer, environment: owner.environment };
      return show(await keys.create(input, callerOf(call, show, sealing)));
    },
  );
  route.post(
    '/:id/rotate',
    {
      ...facts,
      freshLogin: true,
      destructive: true,
      operationId: 'rotateKey',
      summary: 'Make the successor of a key; the answer alone shows it',
      body: KeyRotateInput,
    },
    async ({ call, path, body: { overlap_seconds: overlapSeconds } }) => {
      const { id, environment } = await find(services, call, path.id);
      const show = showingNew(call);
      const rotation = overlapSeconds === undefined ? {} : { overlapSeconds };
      return show(await keys.rotate(id, rotation, callerOf(call, show, { sealer, environment })));
    },
  );
  return route.routes;
}

function changeRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { keys } = services;
  const route = routesUnder(PATH);
  const facts = { permission: 'keys.write', answers: KeyResource } as const;

  route.post(
    '/:id',
    {
      ...facts,
      operationId: 'updateKey',
      summary:
        'Change a key; in live, other scopes, addresses or a later end need a login of the last ' +
        '10 minutes',
      body: KeyUpdateInput,
    },
    async ({ call, path, body }) => {
      const key = await find(services, call, path.id);
      if (mayWiden(body, call.now)) requireFreshLogin(call, key.environment);
      const show = await showing(services, key);
      const changing = keys.update(key.id, editOf(body), callerOf(call, show));
      return show(await changing.catch(sayHowToConfirm));
    },
  );
  route.post(
    '/:id/revoke',
    {
      ...facts,
      permission: 'keys.revoke',
      operationId: 'revokeKey',
      summary: 'Revoke a key for good; it is refused everywhere within 500 ms',
      body: Nothing,
    },
    async ({ call, path }) => {
      const key = await find(services, call, path.id);
      const show = await showing(services, key);
      return show(await keys.revoke(key.id, 'admin', callerOf(call, show)));
    },
  );
  return route.routes;
}

function newKeyOf(body: Omit<KeyCreate, 'account' | 'livemode'>) {
  const { type, name, scopes, allowed_ips: allowedIps, expires_at: expiresAt } = body;
  const facts: Pick<NewKey, 'name' | 'allowedIps' | 'expiresAt'> = {
    name,
    ...(allowedIps && { allowedIps }),
    ...(expiresAt && { expiresAt }),
  };
  if (type === 'restricted') {
    if (scopes !== undefined) return { ...facts, type, scopes };
    const message = 'scopes is required: a restricted key has at least one.';
    throw new PaymountError('parameter_missing', message, { param: 'scopes' });
  }
  if (scopes === undefined) return { ...facts, type };
  const message = `Only restricted keys have scopes; this is to be a ${type} key.`;
  throw new PaymountError('parameter_invalid', message, { param: 'scopes' });
}

/** A list that locks users out is taken when it is meant so; each face has its own words for that. */
function sayHowToConfirm(error: unknown): never {
  if (!PaymountError.is(error) || error.code !== 'ip_list_excludes_used_addresses') throw error;
  const message = `${error.message} Add them, or send confirm_lockout=true when you mean it.`;
  throw new PaymountError(error.code, message, { param: 'allowed_ips', cause: error });
}

/** Whether a key may do more afterwards; to end it now is as urgent as revoking it. */
function mayWiden({ scopes, allowed_ips: ips, expires_at: end }: KeyUpdate, now: Date): boolean {
  const endsNow = end === undefined || (end instanceof Date && end <= now);
  return scopes !== undefined || ips !== undefined || !endsNow;
}

/** Absent stays as it is; null, or an empty text as forms have no null, unsets. */
function editOf(body: KeyUpdate): KeyEdit {
  const { name, scopes, allowed_ips: allowedIps, expires_at: expiresAt } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(allowedIps === undefined ? {} : { allowedIps: allowedIps || null }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt || null }),
    confirmLockout: body.confirm_lockout,
  };
}

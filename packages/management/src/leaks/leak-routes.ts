import type { LeakVerdict } from '@paymount/core/access';
import { type Leak, LeakResource, toLeakResource } from '@paymount/core/access';
import {
  AdminEndpointResource,
  EndpointRotateSecretInput,
  type RotatedSecrets,
  toAdminEndpointResource,
} from '@paymount/core/events';
import { Secret, withErrorHint } from '@paymount/core/kernel';
import { listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, type ManagementRoute, routesUnder, target } from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import { type AdminDirectories, type ManagementServices, toCaller } from '../services.ts';

const PATH = '/leaks';
const NAME = { noun: 'leak', prefix: 'leak' } as const;

const LeakListQuery = AdminListQuery.extend({ status: LeakResource.shape.status.optional() });

/**
 * Reserved sources of verified reports: GitHub by its signature, and this API by its request URLs.
 */
const RESERVED_SOURCES: ReadonlySet<string> = new Set(['github', 'url']);

const SourceInput = withErrorHint(
  z
    .string()
    .min(1)
    .max(100)
    .refine((source) => !RESERVED_SOURCES.has(source.trim().toLowerCase()))
    .meta({ description: 'The reporter; a name, but not `github` or `url`.' }),
  'a name of 1 to 100 characters, but not github or url, which are reserved',
);

/** The maximum length of a pasted text: enough for a file of settings. */
const MAX_PASTED = 10_000;

const LeakReportInput = z
  .strictObject({
    credential: z.string().min(1).max(MAX_PASTED).meta({
      description: 'The whole credential, or a text that contains it.',
    }),
    source: SourceInput,
    url: z.string().min(1).max(2048).optional().meta({ description: 'Where it was found.' }),
  })
  .meta({ id: 'LeakReport' });

const LeakVerdictResource = z
  .strictObject({
    object: z.literal('leak_verdict'),
    matched: z.boolean().meta({
      description: 'Whether it contains a current or former credential that you may see.',
    }),
    action: z.enum(['revoked', 'notified', 'already_revoked', 'none']).meta({
      description:
        'If a text contains several credentials, the strongest action; `GET /leaks` lists each.',
    }),
  })
  .meta({ id: 'LeakVerdict' });

const RotatedResource = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(AdminEndpointResource),
    skipped: z
      .array(z.strictObject({ endpoint: z.string(), reason: z.literal('secret_rotation_limit') }))
      .meta({
        description: 'Not changed, because they already have the maximum number of active secrets.',
      }),
  })
  .meta({ id: 'RotatedEndpoints' });

/** Leaks: list, retrieve, report, dismiss, rotate what may have leaked together. */
export function leakRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services), ...writeRoutes(services)];
}

function find({ leaks }: AdminDirectories, call: AdminCall, id: string): Promise<Leak> {
  return target(call, NAME, id, (known) => leaks.find(known));
}

function readRoutes({ leaks, directory }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'leaks.read', response: LeakResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listLeaks',
      summary: 'List leaks, newest first',
      query: LeakListQuery,
      response: listSchema('LeakList', LeakResource),
    },
    async ({ call, query }) => {
      const filter = await toFilter(call, query, directory.accounts);
      const page = await directory.leaks.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (leak) => toLeakResource(leak));
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveLeak',
      summary: 'Retrieve a leak and the endpoints to rotate',
      query: Nothing,
    },
    async ({ call, path }) => {
      const leak = await find(directory, call, path.id);
      return toLeakResource(leak, await leaks.endpointsToRotate(leak));
    },
  );
  return route.routes;
}

function writeRoutes({ leaks, directory, sealer }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const writes = { permission: 'leaks.write', response: LeakResource } as const;

  route.post(
    '',
    {
      ...writes,
      unsearched: ['credential', 'url'],
      operationId: 'reportLeak',
      summary: 'Report a credential that was found where it must not be',
      body: LeakReportInput,
      response: LeakVerdictResource,
    },
    async ({ call, body: { credential, source, url } }) => {
      const exposure = {
        credential: new Secret(credential),
        source,
        ...(url === undefined ? {} : { url }),
      };
      const caller = toCaller(call, showVerdict);
      return showVerdict(await leaks.report([exposure], caller, call.adminScope));
    },
  );
  route.post(
    '/:id/dismiss',
    { ...writes, operationId: 'dismissLeak', summary: 'Dismiss a leak', body: Nothing },
    async ({ call, path }) => {
      const { id } = await find(directory, call, path.id);
      const show = (leak: Leak): object => toLeakResource(leak);
      return show(await leaks.dismiss(id, toCaller(call, show)));
    },
  );
  route.post(
    '/:id/rotate_signing_secrets',
    {
      ...writes,
      destructive: true,
      operationId: 'rotateLeakedSigningSecrets',
      summary: 'Rotate the signing secrets that are older than the leak',
      body: EndpointRotateSecretInput,
      response: RotatedResource,
    },
    async ({ call, path, body: { overlap_seconds: overlapSeconds } }) => {
      const { id, environment } = await find(directory, call, path.id);
      const caller = toCaller(call, showRotated, { sealer, environment });
      return showRotated(await leaks.rotateSigningSecrets(id, { overlapSeconds }, caller));
    },
  );
  return route.routes;
}

function showVerdict([verdict]: readonly LeakVerdict[]): object {
  return { object: 'leak_verdict', ...(verdict ?? { matched: false, action: 'none' }) };
}

function showRotated({ rotated, skipped }: RotatedSecrets): object {
  return {
    object: 'list',
    data: rotated.map(({ endpoint, secret }) => toAdminEndpointResource(endpoint, { secret })),
    skipped: skipped.map(({ endpointId, reason }) => ({ endpoint: endpointId, reason })),
  };
}

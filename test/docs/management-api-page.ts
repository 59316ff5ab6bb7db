import {
  GAUGES,
  type ManagementServices,
  managementDocument,
  managementRoutes,
  PERMISSIONS,
  type Permission,
  ROLES,
} from '@paymount/management';
import { apiPage } from './api-page.ts';

/** `docs/reference/management-api.md`: roles, and the route table as its document has it. */
export function managementApiPage(): string {
  // The table is only described here; no route is called.
  const services = { directory: {} } as ManagementServices;
  return apiPage(
    managementDocument(managementRoutes(services)),
    `${INTRODUCTION}${rolesTable()}${METRICS}${metricsTable()}`,
  );
}

function rolesTable(): string {
  const roles = Object.keys(ROLES);
  const rows = PERMISSIONS.map(
    (permission) =>
      `| \`${permission}\` | ${roles.map((role) => renderMark(role, permission)).join(' | ')} |`,
  );
  const head = `| Permission | ${roles.map((role) => `\`${role}\``).join(' | ')} |`;
  return `${[head, `|---|${roles.map(() => '---|').join('')}`, ...rows].join('\n')}\n`;
}

function metricsTable(): string {
  const rows = GAUGES.map(({ name, help }) => `| \`${name}\` | ${help} |`);
  return `${['| Gauge | |', '|---|---|', ...rows].join('\n')}\n`;
}

function renderMark(role: string, permission: Permission): string {
  const grants = (ROLES[role] ?? []).filter((grant) => grant.permission === permission);
  const environments = new Set(grants.flatMap((grant) => grant.environments));
  if (environments.size === 0) return '';
  return environments.size === 2 ? 'yes' : `in ${[...environments].join()}`;
}

const INTRODUCTION = `<!-- Generated from the route table by \`npm run docs\`; do not edit. -->
# Management API

What \`paymount.managementRouter({ authenticate })\` answers; [how to mount
it](../how-to/mount-the-management-api.md). Paths are relative to its mount. The same as OpenAPI 3.1:
\`GET /openapi.json\`, without a login.

- **Who asks**: as the authenticator of the host says; an API key opens nothing here (401
  \`admin_unauthenticated\`). \`GET /me\` tells who that is, and what they may do.
- **Permission**: each route names one; without it 403 \`permission_denied\` says which
  (\`required_permission\`). What lies outside of an admin's accounts and environments is answered as if
  it did not exist: 404, and lists leave it out.
- **Accounts in parameters**: an \`account\` that a list, an export, a verification or a new key names, and
  that is unknown or out of reach, is 400 \`resource_missing\`, alike; an empty list would pass for good
  news about an id that was mistyped. Other filters that nothing matches answer an empty list.
- **Fresh login**: live keys are made, rotated and given other scopes, addresses or a later end by who
  signed in within the last 10 minutes; else 401 \`insufficient_user_authentication\` asks to sign in
  again (RFC 9470).
- **Foreign pages**: a write with an \`Origin\` or \`Sec-Fetch-Site\` of another site is 403.
- **Tokens** serve for one call that replaces or removes what works, marked below: their \`jti\` is taken once, by
  all processes together, and given back when the call was refused. To repeat such a call, send it again with
  its \`Idempotency-Key\`.
- **Bodies, lists, times, errors, Idempotency-Key**: as in the [HTTP API](http-api.md). Keys are kept for
  each admin apart. \`livemode\` tells the environment.
- **Audit**: each change leaves its row in the [audit log](audit.md), in the same transaction.
- **Limits**: 20 requests a second for each admin, [unless set otherwise](rate-limits.md) as [in the
  demo](rate-limits.md#in-the-demo).

## Roles

`;

const METRICS = `
## What the metrics say

Those of operations have the label \`environment\`, \`live\` or \`test\`. What is unknown, because
the database cannot be asked, is left out. [What to alert on](../how-to/settle-an-operation.md#get-notified).

`;

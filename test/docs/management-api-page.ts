import { managementDocument, PERMISSIONS, type Permission, ROLES } from '@paymount/management';
import { SERVED } from '../support/served-routes.ts';
import { apiPage } from './api-page.ts';

/** `docs/reference/management-api.md`: roles, and the route table as its document has it. */
export function managementApiPage(): string {
  return apiPage(managementDocument(SERVED.management), `${INTRODUCTION}${rolesTable()}`);
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

function renderMark(role: string, permission: Permission): string {
  const grants = (ROLES[role] ?? []).filter((grant) => grant.permission === permission);
  const environments = new Set(grants.flatMap((grant) => grant.environments));
  if (environments.size === 0) return '';
  return environments.size === 2 ? 'yes' : `in ${[...environments].join()}`;
}

const INTRODUCTION = `<!-- Generated from the route table by \`npm run docs\`; do not edit. -->
# Management API

The routes of \`paymount.managementRouter({ authenticate })\`. [How to mount
it](../how-to/mount-the-management-api.md). Paths are relative to the mount. The OpenAPI 3.1 document is
at \`GET /openapi.json\`; it requires no login.

- **Authentication**: your authenticator identifies the admin. API keys are not accepted (401
  \`admin_unauthenticated\`). \`GET /me\` returns the admin and their permissions.
- **Permissions**: each route requires one permission. If the admin does not have it, the response is 403
  \`permission_denied\`, and \`required_permission\` names it. Objects outside the admin's accounts and
  environments are treated as if they do not exist: the response is 404, and lists omit them.
- **Accounts in parameters**: if the \`account\` of a list, an export, a verification or a new key does
  not exist, or the admin may not see it, the response is 400 \`resource_missing\`. An empty list would
  hide a mistyped ID. If no object matches any other filter, the list is empty.
- **Recent login**: to create or rotate a live key, to change its scopes or addresses, or to extend its
  expiry, the admin must have signed in within the last 10 minutes. Otherwise the response is 401
  \`insufficient_user_authentication\` (RFC 9470).
- **Cross-site requests**: if the \`Origin\` or \`Sec-Fetch-Site\` header of a write names another site,
  the response is 403.
- **One-time tokens**: an access token can be used for only one call that replaces or removes a working
  object; these calls are marked below. Paymount records its \`jti\` in the database, so this holds across
  processes. If the call is refused, the token can be used again. To repeat such a call, send it again
  with its \`Idempotency-Key\`.
- **Bodies, lists, times, errors, Idempotency-Key**: as in the [HTTP API](http-api.md). Each admin has a
  separate set of idempotency keys. \`livemode\` is the environment.
- **Audit**: each change adds an entry to the [audit log](audit.md), in the same transaction.
- **Limits**: 20 requests per second for each admin, [unless you set another limit](rate-limits.md) as [in
  the demo](rate-limits.md#in-the-demo).

## Roles

`;

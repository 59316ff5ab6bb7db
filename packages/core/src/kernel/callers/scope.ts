/** The specification's eight scopes, never more (Authentication, Restricted-key scopes). */
export const SCOPES = [
  'charges:read',
  'charges:write',
  'customers:read',
  'customers:write',
  'subscriptions:write',
  'payouts:read',
  'disputes:write',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

import { ask } from '../http/ask.ts';
import type { Document } from '../support/openapi-document.ts';
import { MOUNT } from './admin-app.ts';

/** One route as the published document describes it. */
export interface DescribedRoute {
  readonly method: string;
  /** `/keys/{id}/revoke` */
  readonly pattern: string;
  /** `none`: whoever is an admin. */
  readonly permission: string;
}

/** The document, which needs no login. */
export async function documentOf(url: string): Promise<Document> {
  const { status, json } = await ask(`${url}${MOUNT}/openapi.json`, { key: '' });
  if (status !== 200) throw new Error(`The document is answered ${status}.`);
  return json as unknown as Document;
}

/** Every route of the document, so that a new one is tested without a word here. */
export async function describedRoutes(url: string): Promise<readonly DescribedRoute[]> {
  const { paths } = await documentOf(url);
  return Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([method, { description = '' }]) => ({
      method: method.toUpperCase(),
      pattern,
      permission: permissionIn(pattern, description),
    })),
  );
}

function permissionIn(pattern: string, description: string): string {
  if (description.startsWith('Any admin.')) return 'none';
  const permission = /^Permission: `([^`]+)`/.exec(description)?.[1];
  if (permission === undefined) throw new Error(`${pattern} describes no permission.`);
  return permission;
}

/** Ids of the right form that name nothing, by the first segment of a path. */
const PREFIXES: Readonly<Record<string, string>> = {
  accounts: 'acct',
  keys: 'key',
  endpoints: 'we',
  deliveries: 'dlv',
  events: 'evt',
  replays: 'rpl',
  operations: 'op',
  leaks: 'leak',
  audit: 'aud',
};

/** The path of a route with an id in it. @defaultValue one that names nothing */
export function pathOf({ pattern }: Pick<DescribedRoute, 'pattern'>, id?: string): string {
  const prefix = PREFIXES[pattern.split('/')[1] ?? ''] ?? 'x';
  return pattern.replace('{id}', id ?? `${prefix}_${'0'.repeat(25)}1`);
}

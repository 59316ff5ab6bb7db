import { SCOPES, type Scope } from '@paymount/core';
import { ask } from '../http/ask.ts';

/** One route as the published OpenAPI document describes it. */
export interface DocumentedRoute {
  readonly method: string;
  /** With an id of the right shape that names nothing. */
  readonly path: string;
  readonly scope: Scope;
  /** Whether a publishable key may use it. */
  readonly publishable: boolean;
}

/** Ids of the right form that name nothing, by the first segment of a path. */
const UNKNOWN_IDS: Readonly<Record<string, string>> = {
  charges: 'ch_00000000000000000000000000',
  refunds: 're_00000000000000000000000000',
  payment_methods: 'pm_00000000000000000000000000',
  tokens: 'tok_00000000000000000000000000',
  balance_transactions: 'txn_00000000000000000000000000',
  webhook_endpoints: 'we_00000000000000000000000000',
  events: 'evt_00000000000000000000000000',
};

interface Operation {
  readonly description: string;
}

/** Every route of the document at `/v1/openapi.json`, so that a new one is tested without a word here. */
export async function documentedRoutes(url: string): Promise<readonly DocumentedRoute[]> {
  const { json } = await ask(`${url}/v1/openapi.json`, { key: '' });
  const paths = json['paths'] as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([method, { description }]) => ({
      method: method.toUpperCase(),
      path: pattern.replace('{id}', UNKNOWN_IDS[pattern.split('/')[2] ?? ''] ?? 'x'),
      scope: scopeOf(pattern, description),
      publishable: description.includes('publishable'),
    })),
  );
}

function scopeOf(pattern: string, description: string): Scope {
  const written = /Scope: `([^`]+)`/.exec(description)?.[1];
  const scope = SCOPES.find((known) => known === written);
  if (scope === undefined) throw new Error(`${pattern} documents no scope: ${description}`);
  return scope;
}

/** Every name of a parameter in the document, nested ones included. */
export async function parameterNames(url: string): Promise<readonly string[]> {
  const { json } = await ask(`${url}/v1/openapi.json`, { key: '' });
  const names = new Set(['metadata', 'expand']);
  collectNames(json, names);
  return [...names];
}

function collectNames(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name);
    if (key === 'name' && typeof value === 'string') names.add(value);
    collectNames(value, names);
  }
}

import { dashboardDocument } from '@paymount/dashboard';
import { apiDocument } from '@paymount/http';
import { managementDocument } from '@paymount/management';
import { SERVED } from './served-routes.ts';

/** What is read of a schema here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly propertyNames?: Schema;
}

export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: Schema;
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

/** What is read of a document here. */
export interface OpenApi {
  readonly openapi: string;
  readonly servers: readonly object[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

function asServed(document: object): OpenApi {
  return JSON.parse(JSON.stringify(document)) as OpenApi;
}

/** The documents as packages hold them: nobody serves them. */
export const DOCUMENTS = {
  api: asServed(apiDocument(SERVED.api)),
  management: asServed(managementDocument(SERVED.management)),
  dashboard: asServed(dashboardDocument(SERVED.dashboard)),
};

/** Every operation by its name. */
export function listOperations({ paths }: OpenApi): ReadonlyMap<string, Operation> {
  const all = Object.values(paths).flatMap((item) => Object.values(item));
  return new Map(all.map((operation) => [operation.operationId, operation]));
}

/** What a reference leads to; other schemas lead to themselves. */
export function resolved({ components }: OpenApi, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return components.schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? {};
}

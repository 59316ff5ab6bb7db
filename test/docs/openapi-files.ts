import { apiDocument, apiRoutes, type Document, type Services } from '@paymount/http';
import {
  type ManagementServices,
  managementDocument,
  managementRoutes,
} from '@paymount/management';

// The tables are only described here; no route is called.

/** `openapi/api.json` of the package: `/v1`, wherever it is mounted. */
export function apiFile(): string {
  return renderFile(apiDocument(apiRoutes({} as Services)));
}

/** `openapi/management.json` of the package. */
export function managementFile(): string {
  return renderFile(managementDocument(managementRoutes({ directory: {} } as ManagementServices)));
}

function renderFile(document: Document): string {
  return `${JSON.stringify(document, null, 1)}\n`;
}

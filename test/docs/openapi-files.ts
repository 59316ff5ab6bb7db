import { dashboardDocument } from '@paymount/dashboard';
import { apiDocument, type Document } from '@paymount/http';
import { managementDocument } from '@paymount/management';
import { SERVED } from '../support/served-routes.ts';

/** `openapi/api.json` of the package: `/v1`, wherever it is mounted. */
export function apiFile(): string {
  return renderFile(apiDocument(SERVED.api));
}

/** `openapi/management.json` of the package. */
export function managementFile(): string {
  return renderFile(managementDocument(SERVED.management));
}

/** `openapi/dashboard.json` of the package. */
export function dashboardFile(): string {
  return renderFile(dashboardDocument(SERVED.dashboard));
}

function renderFile(document: Document): string {
  return `${JSON.stringify(document, null, 1)}\n`;
}

import { MOUNT } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import type { Document } from '../support/openapi-document.ts';

/** The OpenAPI document of the management API, which needs no login. */
export async function documentOf(url: string): Promise<Document> {
  const { status, json } = await ask(`${url}${MOUNT}/openapi.json`, { key: '' });
  if (status !== 200) throw new Error(`The document is answered ${status}.`);
  return json as unknown as Document;
}

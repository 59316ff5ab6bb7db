import type { Document } from './schema.ts';

/**
 * The text of a document for the servers of it.
 * @returns writes it for a mount: `/payments`, or an empty text for the root
 */
export function documentText(document: Document): (mount: string) => string {
  const { servers, ...rest } = document;
  // Made once: the document is long, and only this part depends on the request.
  const text = JSON.stringify(rest).slice(1);
  return (mount) => `{"servers":${JSON.stringify([{ url: mount || '/' }])},${text}`;
}

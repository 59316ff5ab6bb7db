import { type Ask, ask, type Reply } from './ask.ts';

/** The beginning of a PDF, which decides that it is one. */
export const PDF = Buffer.from('%PDF-1.7\n1 0 obj\nendobj\n');

/** One part of a form, written out. */
export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Buffer;
  /** Further header lines. */
  readonly headers?: readonly string[];
}

export const BOUNDARY = '----paymount-test';
export const PURPOSE: Part = { name: 'purpose', content: 'dispute_evidence' };

/** The body of a form, as browsers write it. */
export function formData(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): Buffer {
  const written = parts.map(({ name, filename, type, content, headers = [] }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const lines = [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="${name}"${file}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ...headers,
    ];
    return Buffer.concat([
      Buffer.from(`${lines.join('\r\n')}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  });
  return Buffer.concat([...written, Buffer.from(end)]);
}

/** Sends a form with files. */
export function postParts(url: string, parts: readonly Part[], more: Ask = {}): Promise<Reply> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...more.headers };
  return ask(url, { ...more, method: 'POST', headers, body: more.body ?? formData(parts) });
}

/** Uploads a PDF. @returns its id */
export async function uploadFile(url: string, key: string, filename = 'receipt.pdf') {
  const file = { name: 'file', filename, type: 'application/pdf', content: PDF };
  const { status, json, text } = await postParts(url, [PURPOSE, file], { key });
  if (status !== 200) throw new Error(`POST ${url}: ${status} ${text}`);
  return String(json['id']);
}

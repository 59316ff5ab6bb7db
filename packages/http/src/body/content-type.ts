import type { IncomingHttpHeaders } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';

export type BodyFormat = 'json' | 'form';

const FORMATS: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
]);

/**
 * The format of a body: JSON or a form, in UTF-8 and not compressed.
 * @throws PaymountError `unsupported_content_type`
 */
export function bodyFormat(headers: IncomingHttpHeaders): BodyFormat {
  assertPlain(headers);
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const format = FORMATS.get(type.trim().toLowerCase());
  if (format === undefined) throw new PaymountError('unsupported_content_type');
  return format;
}

/**
 * Refuses compressed bodies, and those in another encoding than UTF-8.
 * @throws PaymountError `unsupported_content_type`
 */
export function assertPlain(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new PaymountError('unsupported_content_type', 'Compressed bodies are not accepted.');
  }
  const [, ...parameters] = (headers['content-type'] ?? '').split(';');
  if (!parameters.every(isUtf8OrNoCharset)) throw new PaymountError('unsupported_content_type');
}

function isUtf8OrNoCharset(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  if (name.trim().toLowerCase() !== 'charset') return true;
  const charset = value.trim().toLowerCase().replaceAll('"', '');
  return charset === 'utf-8' || charset === 'utf8';
}

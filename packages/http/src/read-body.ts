import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import { checkTree, MAX_BODY_BYTES } from './body/check-tree.ts';
import { type BodyLimits, bodyTooLarge, collectBody } from './body/collect-body.ts';
import { type BodyFormat, bodyFormat } from './body/content-type.ts';
import { nestFlatNames, parseForm } from './body/form-text.ts';
import { parseJson } from './body/json-text.ts';
import { isTree, newTree, type Tree } from './body/tree.ts';
import { type HostBody, hostBody } from './host-request.ts';
import { nextTurn } from './slices.ts';

/** Parameters as they were sent, and whether their texts may mean numbers and booleans. */
export interface ParsedInput {
  readonly tree: Tree;
  readonly format: BodyFormat;
}

/** Parsing more takes a noticeable part of a turn. */
const LARGE_BYTES = 16_384;

const NOTHING: ParsedInput = { tree: newTree(), format: 'form' };
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The parameters of a query: the part of a target after `?`.
 * @throws PaymountError `parameter_invalid`, `parameter_unknown`
 */
export function readQuery(query: string): ParsedInput {
  return query === '' ? NOTHING : { tree: checkTree(parseForm(query)), format: 'form' };
}

/** Whether a request has a body by its framing (RFC 9112, section 6). */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  );
}

/**
 * Reads the body of a request, wherever the host's parsers left it.
 * @param found where the body is, if the host's parser failed on it; otherwise it is searched
 * @throws PaymountError `invalid_json`, `parameter_*`, `body_too_large`, `body_timeout`,
 *   `unsupported_content_type`; Error if something before us read the body and discarded it
 */
export async function readBody(
  request: IncomingMessage,
  found: HostBody | undefined,
  limits: BodyLimits,
): Promise<ParsedInput> {
  if (!hasBody(request)) return NOTHING;
  assertFraming(request);
  const format = bodyFormat(request.headers);
  const body = found ?? hostBody(request);
  if (body.found === 'consumed') {
    throw new Error(
      'Something before Paymount read the request body and left no `request.body`: mount Paymount first.',
    );
  }
  if (body.found === 'parsed') return { tree: checkTree(toTree(body.value, format)), format };
  const bytes = body.found === 'text' ? body.text : await collectBody(request, limits);
  const { maxBytes = MAX_BODY_BYTES } = limits;
  if (Buffer.byteLength(bytes) > maxBytes) throw bodyTooLarge(maxBytes);
  const text = typeof bytes === 'string' ? bytes : decode(bytes, format);
  const tree = checkTree(format === 'json' ? parseJson(text) : parseForm(text));
  // What comes next searches all texts: that is a turn of its own.
  if (bytes.length > LARGE_BYTES) await nextTurn();
  return { tree, format };
}

/** @throws PaymountError `parameter_invalid` for an unknown `Transfer-Encoding` */
export function assertFraming({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new PaymountError('parameter_invalid', 'The only Transfer-Encoding taken is chunked.');
  }
}

function toTree(value: unknown, format: BodyFormat): Tree {
  if (!isTree(value)) throw new PaymountError('invalid_json', 'The body must be one JSON object.');
  return format === 'form' ? nestFlatNames(value) : value;
}

function decode(bytes: Buffer, format: BodyFormat): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw format === 'json'
      ? new PaymountError('invalid_json', 'The body is not UTF-8.')
      : new PaymountError('parameter_invalid', 'The form is not UTF-8.');
  }
}

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';
import { MAX_FILE_BYTES, Upload } from '@paymount/core/payments';
import { checkTree } from './body/check-tree.ts';
import { type BodyLimits, collectBody } from './body/collect-body.ts';
import { assertPlain } from './body/content-type.ts';
import { nestFlatNames } from './body/form-text.ts';
import { type FilePart, MAX_NAME_LENGTH, parseParts } from './body/multipart-parts.ts';
import { newTree } from './body/tree.ts';
import { type HostBody, hostBody } from './host-request.ts';
import { assertFraming, type ParsedInput, readBody } from './read-body.ts';

/** What surrounds the file: boundaries, headers of the parts, and the other parameters. */
const MAX_FRAME_BYTES = 65_536;

/**
 * Reads a form with one file, wherever the host's parsers left it. The body is read as a whole: it
 * is at most 5 MB and a little more.
 * @param found where the body is, if the host's parser failed on it; otherwise it is searched
 * @throws PaymountError `parameter_*`, `body_too_large`, `body_timeout`,
 *   `unsupported_content_type`; Error if something before us read the body and discarded it
 */
export async function readMultipart(
  request: IncomingMessage,
  found: HostBody | undefined,
  limits: BodyLimits,
): Promise<ParsedInput> {
  const contentType = request.headers['content-type'] ?? '';
  // Other forms cannot contain a file; the schema of the route says so.
  if (!isMultipart(contentType)) return readBody(request, found, limits);
  assertFraming(request);
  assertPlain(request.headers);
  if (!/;\s*boundary="?[^\s";]/i.test(contentType)) {
    throw new PaymountError('parameter_invalid', 'The Content-Type has no boundary.');
  }
  const body = found ?? hostBody(request);
  if (body.found === 'consumed' || body.found === 'parsed') {
    throw new Error(
      'Something before Paymount parsed the multipart body: mount Paymount before parsers of uploads.',
    );
  }
  const maxBytes = MAX_FILE_BYTES + MAX_FRAME_BYTES;
  const bytes =
    body.found === 'text' ? body.text : await collectBody(request, { ...limits, maxBytes });
  const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  if (whole.length > maxBytes) throw new PaymountError('body_too_large');
  const { fields, file: sentFile } = await parseParts(contentType, whole);
  const file = sentFile && toUpload(sentFile);
  const sent: Record<string, unknown> = newTree();
  for (const [name, texts] of fields) sent[name] = texts.length === 1 ? texts[0] : texts;
  const named = file === undefined ? sent : { ...sent, file: { filename: file.filename } };
  const tree = checkTree(nestFlatNames(named));
  return { tree: file === undefined ? tree : { ...tree, file }, format: 'form' };
}

function isMultipart(contentType: string): boolean {
  return contentType.split(';')[0]?.trim().toLowerCase() === 'multipart/form-data';
}

function toUpload({ filename, type, content }: FilePart): Upload {
  const name = filename === undefined || filename === '' ? 'file' : filename;
  if ([...name].length > MAX_NAME_LENGTH) {
    throw invalid('file', `has a filename of more than ${MAX_NAME_LENGTH} characters`);
  }
  if (/[\p{Cc}\uFFFD]/u.test(name)) {
    throw invalid('file', 'has a filename with control characters, or one that is not UTF-8');
  }
  const digest = createHash('sha256').update(content).digest('hex');
  // Clients that name no type get the one that means a text.
  return new Upload(
    { filename: name, contentType: type === 'text/plain' ? '' : type, digest },
    content,
  );
}

function invalid(name: string, fault: string): PaymountError {
  return new PaymountError('parameter_invalid', `${name} ${fault}.`, { param: name });
}

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { PaymountError } from '@paymount/core/kernel';
import { MAX_FILE_BYTES, Upload } from '@paymount/core/payments';
import { checkTree } from './body/check-tree.ts';
import { collectBody } from './body/collect-body.ts';
import { assertPlain } from './body/content-type.ts';
import { nestFlatNames } from './body/form-text.ts';
import { newTree } from './body/tree.ts';
import { type HostBody, hostBody } from './host-request.ts';
import { assertFraming, type ParsedInput, readBody } from './read-body.ts';

/** What surrounds the file: boundaries, headers of the parts, and the other parameters. */
const MAX_FRAME_BYTES = 65_536;
const MAX_FIELD_BYTES = 2_048;
const MAX_FIELDS = 20;
const MAX_FILENAME_LENGTH = 255;
/** The encodings that mean: as they are. RFC 7578 forbids the others. */
const ENCODINGS: readonly string[] = ['7bit', '8bit', 'binary'];

/**
 * Reads a form with one file, wherever the host's parsers left it. The body is read as a whole: it
 * is at most 5 MB and a little more.
 * @param found where the body is, if the host's parser failed on it; otherwise it is searched
 * @param timeoutMs @defaultValue 10,000
 * @throws PaymountError `parameter_*`, `body_too_large`, `body_timeout`,
 *   `unsupported_content_type`; Error if something before us read the body and discarded it
 */
export async function readMultipart(
  request: IncomingMessage,
  found?: HostBody,
  timeoutMs?: number,
): Promise<ParsedInput> {
  const contentType = request.headers['content-type'] ?? '';
  // Other forms cannot contain a file; the schema of the route says so.
  if (!isMultipart(contentType)) return readBody(request, found, timeoutMs);
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
  const bytes = body.found === 'text' ? body.text : await collectBody(request, timeoutMs, maxBytes);
  const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  if (whole.length > maxBytes) throw new PaymountError('body_too_large');
  const { fields, file } = await parseParts(contentType, whole);
  const sent: Record<string, unknown> = newTree();
  for (const [name, texts] of fields) sent[name] = texts.length === 1 ? texts[0] : texts;
  const named = file === undefined ? sent : { ...sent, file: { filename: file.filename } };
  const tree = checkTree(nestFlatNames(named));
  return { tree: file === undefined ? tree : { ...tree, file }, format: 'form' };
}

function isMultipart(contentType: string): boolean {
  return contentType.split(';')[0]?.trim().toLowerCase() === 'multipart/form-data';
}

interface Parts {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: Upload | undefined;
}

function parseParts(contentType: string, whole: Buffer): Promise<Parts> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string[]>();
    const files: Upload[] = [];
    const parser = openParser(contentType);
    /** The parser calls more handlers after one has thrown; the first error is the answer. */
    const refused = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        reject(error instanceof Error ? error : malformed());
      }
    };
    parser.on('file', (name, stream, filename, encoding, type) => {
      stream.on('error', () => reject(malformed()));
      refused(() => assertPart(name, encoding, type));
      collectFile(stream, (content) =>
        refused(() => {
          if (name !== 'file') throw unknownFile(name);
          files.push(toUpload(filename, type, content));
        }),
      );
    });
    parser.on('field', (name, text, _, isCut, encoding, type) =>
      refused(() => {
        assertPart(name, encoding, type);
        if (isCut) throw invalid(name, `must be at most ${MAX_FIELD_BYTES} bytes`);
        if (text.includes('\uFFFD')) throw invalid(name, 'is not UTF-8');
        fields.set(name, [...(fields.get(name) ?? []), text]);
      }),
    );
    parser.on('fieldsLimit', () => reject(tooMany()));
    parser.on('partsLimit', () => reject(tooMany()));
    parser.on('filesLimit', () =>
      reject(new PaymountError('parameter_duplicate', 'Send one file.', { param: 'file' })),
    );
    parser.on('error', () => reject(malformed()));
    parser.on('finish', () => resolve({ fields, file: files[0] }));
    parser.end(whole);
  });
}

function openParser(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        files: 1,
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 1,
        fieldNameSize: MAX_FILENAME_LENGTH,
        fieldSize: MAX_FIELD_BYTES,
        headerPairs: MAX_FIELDS,
        headerSize: MAX_FIELD_BYTES,
      },
    });
  } catch {
    throw malformed();
  }
}

function collectFile(stream: BusboyFileStream, onEnd: (content: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => onEnd(Buffer.concat(chunks)));
}

function assertPart(name: string | undefined, encoding: string, type: string): void {
  if (name === undefined) throw malformed();
  if (type.startsWith('multipart/')) throw invalid(name, 'must not be a form of its own');
  if (!ENCODINGS.includes(encoding)) throw invalid(name, 'must be sent without an encoding');
}

function toUpload(filename: string | undefined, type: string, content: Buffer): Upload {
  const name = filename === undefined || filename === '' ? 'file' : filename;
  if ([...name].length > MAX_FILENAME_LENGTH) {
    throw invalid('file', `has a filename of more than ${MAX_FILENAME_LENGTH} characters`);
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

function malformed(): PaymountError {
  return new PaymountError(
    'parameter_invalid',
    'The form ends early, or its parts are malformed: each needs a name in Content-Disposition, and the last boundary ends with two hyphens.',
  );
}

function tooMany(): PaymountError {
  return new PaymountError('parameter_invalid', `The form has more than ${MAX_FIELDS} parts.`);
}

function unknownFile(name: string): PaymountError {
  return new PaymountError('parameter_unknown', `There is no file ${name} here; send file.`, {
    param: name,
  });
}

function invalid(name: string, fault: string): PaymountError {
  return new PaymountError('parameter_invalid', `${name} ${fault}.`, { param: name });
}

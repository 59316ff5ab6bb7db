import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { PaymountError } from '@paymount/core/kernel';

const MAX_FIELD_BYTES = 2_048;
const MAX_FIELDS = 20;
/** The longest name of a field, and of a file. */
export const MAX_NAME_LENGTH = 255;
/** The encodings that mean: as they are. RFC 7578 forbids the others. */
const ENCODINGS: readonly string[] = ['7bit', '8bit', 'binary'];
/**
 * How much is parsed before other work of the process gets its turn. The parser makes a stream of
 * each part, and an empty part may have five bytes: 6,500 of them take less than 20 ms.
 */
const SLICE_BYTES = 32_768;

/** A file as it was sent. */
export interface FilePart {
  readonly filename: string | undefined;
  readonly type: string;
  readonly content: Buffer;
}

/** The parts of a form. */
export interface Parts {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: FilePart | undefined;
}

/**
 * Parses a form with one file, in slices, and stops at its first fault.
 * @throws PaymountError `parameter_*`
 */
export function parseParts(contentType: string, whole: Buffer): Promise<Parts> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string[]>();
    const files: FilePart[] = [];
    const parser = openParser(contentType);
    let isOver = false;
    /** The parser calls more handlers after the first fault, which is the answer. */
    const refuse = (error: PaymountError): void => {
      isOver = true;
      reject(error);
    };
    const checked = (work: () => void): void => {
      try {
        if (!isOver) work();
      } catch (error) {
        refuse(PaymountError.is(error) ? error : malformed());
      }
    };
    parser.on('file', (name, stream, filename, encoding, type) => {
      stream.on('error', () => refuse(malformed()));
      checked(() => assertPart(name, encoding, type));
      collectFile(stream, (content) =>
        checked(() => {
          if (name !== 'file') throw unknownFile(name);
          files.push({ filename, type, content });
        }),
      );
    });
    parser.on('field', (name, text, _, isCut, encoding, type) =>
      checked(() => {
        assertPart(name, encoding, type);
        if (isCut) throw invalid(name, `must be at most ${MAX_FIELD_BYTES} bytes`);
        if (text.includes('\uFFFD')) throw invalid(name, 'is not UTF-8');
        fields.set(name, [...(fields.get(name) ?? []), text]);
      }),
    );
    parser.on('fieldsLimit', () => refuse(tooMany()));
    parser.on('partsLimit', () => refuse(tooMany()));
    parser.on('filesLimit', () =>
      refuse(new PaymountError('parameter_duplicate', 'Send one file.', { param: 'file' })),
    );
    parser.on('error', () => refuse(malformed()));
    parser.on('finish', () => resolve({ fields, file: files[0] }));
    const feed = (at: number): void => {
      if (isOver) return;
      const end = at + SLICE_BYTES;
      if (at >= whole.length) parser.end();
      else parser.write(whole.subarray(at, end), () => setImmediate(feed, end));
    };
    feed(0);
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
        fieldNameSize: MAX_NAME_LENGTH,
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

import { gzipSync } from 'node:zlib';
import { FORM, JSON_TYPE } from './ask.ts';

/** A request with one fault, and how it is answered. */
export interface BrokenRequest {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly status: number;
  readonly code: string;
  readonly param?: string;
}

/** Of all texts together, and of a body. */
const TOO_LONG = 102_401;
const TOO_LARGE = 524_289;
/** 10 kB that unpack to 10 MB. */
const BOMB = gzipSync(Buffer.alloc(10_485_760));
/** As many as fit into a body. */
const LEVELS = 80_000;
/** The first name that is too deep. */
const DEEP = `a${'[a]'.repeat(8)}`;
export const MULTIPART = { 'content-type': 'multipart/form-data; boundary=b' };
export const PARTS =
  '--b\r\nContent-Disposition: form-data; name="a"; filename="a.zip"\r\n\r\nPK\r\n--b--\r\n';

/**
 * Bodies that are refused for what they are, not for their parameters.
 * @param takesFile whether the route takes multipart bodies, which have tests of their own
 */
export function brokenBodies(good: object, takesFile: boolean): readonly BrokenRequest[] {
  const json = JSON.stringify(good);
  const refused = { status: 400, code: 'invalid_json', headers: JSON_TYPE };
  const unread = { status: 415, code: 'unsupported_content_type', body: json };
  const large = { status: 413, code: 'body_too_large' };
  return [
    { ...refused, what: 'half a body', body: `{"a":${json.slice(0, -1)}` },
    { ...refused, what: 'a list as the body', body: `[${json}]` },
    { ...refused, what: 'a text as the body', body: '"x"' },
    { ...refused, what: 'a form that is called JSON', body: 'a=1' },
    { ...refused, what: 'parts that are called JSON', body: PARTS },
    { ...refused, what: 'a zip bomb that is called JSON', body: BOMB },
    { ...unread, what: 'plain text', headers: { 'content-type': 'text/plain' } },
    { ...unread, what: 'no content type', headers: {} },
    {
      ...unread,
      what: 'another charset',
      headers: { 'content-type': 'application/json; charset=latin1' },
    },
    { ...unread, what: 'compression', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    {
      ...unread,
      what: 'a zip bomb',
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: BOMB,
    },
    { ...unread, what: 'a zip', headers: { 'content-type': 'application/zip' }, body: BOMB },
    ...(takesFile ? [] : [{ ...unread, what: 'parts', headers: MULTIPART, body: PARTS }]),
    {
      ...large,
      what: 'a long text in JSON',
      headers: JSON_TYPE,
      body: `{"a":"${'a'.repeat(TOO_LONG)}"}`,
    },
    { ...large, what: 'a long text in a form', headers: FORM, body: `a=${'a'.repeat(TOO_LONG)}` },
    { ...large, what: 'a large body', headers: JSON_TYPE, body: ' '.repeat(TOO_LARGE) },
    {
      what: 'deeper than a stack',
      status: 400,
      code: 'parameter_invalid',
      headers: JSON_TYPE,
      param: DEEP,
      body: `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`,
    },
  ];
}

/** Zips, forms of several parts, texts: what no route reads that takes no file. */
export const UNREAD_BODIES = brokenBodies({}, false).filter(({ status }) => status === 415);

/** Texts that are no form of a route. */
export function brokenForms(): readonly (BrokenRequest & { readonly body: string })[] {
  const invalid = { status: 400, code: 'parameter_invalid', headers: FORM };
  return [
    { ...invalid, what: 'half an escape', body: 'a=%4', param: 'a' },
    { ...invalid, what: 'no UTF-8', body: 'a=%ff', param: 'a' },
    { ...invalid, what: 'with and without members', body: 'a=1&a[b]=1', param: 'a[b]' },
    { ...invalid, what: '1,001 parameters', body: 'a=1&'.repeat(1001) },
    { ...invalid, what: 'many levels', body: `${DEEP}${'[a]'.repeat(3_000)}=1`, param: DEEP },
  ];
}

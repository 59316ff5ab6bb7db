import type { IncomingMessage } from 'node:http';
import { ClientAddresses } from '../../../packages/auth/src/addresses/client-address.ts';
import { bearerToken, rejectApiKeys } from '../../../packages/auth/src/admins/bearer-token.ts';
import { isForeignPage } from '../../../packages/auth/src/admins/own-origins.ts';
import { readCredential, validateKey } from '../../../packages/auth/src/guard/read-credential.ts';
import { readGithubReport } from '../../../packages/auth/src/leak-sources/github-report.ts';
import { StreamBlocks } from '../../../packages/cli/src/listen/stream-blocks.ts';
import { readOverrides } from '../../../packages/cli/src/overrides.ts';
import { canonicalAddress } from '../../../packages/core/src/access/addresses/address.ts';
import { canonicalRanges } from '../../../packages/core/src/access/addresses/canonical-ranges.ts';
import {
  containsSecret,
  findCredentials,
  recognizeCredentials,
  redactCredentials,
} from '../../../packages/core/src/access/credentials/find-credentials.ts';
import { mintKey } from '../../../packages/core/src/access/credentials/key-format.ts';
import { shownText as shownPlace } from '../../../packages/core/src/access/credentials/shown-text.ts';
import { EnabledEventsInput } from '../../../packages/core/src/changes/events/event-pattern.ts';
import { composeMail } from '../../../packages/core/src/changes/mails/compose-mail.ts';
import { redactReceived } from '../../../packages/core/src/events/deliveries/redact-received.ts';
import { parseId } from '../../../packages/core/src/kernel/basics/id.ts';
import { missing } from '../../../packages/core/src/kernel/errors/missing.ts';
import { EmailInput, IsoInput, text } from '../../../packages/core/src/kernel/input/input.ts';
import { mergeMetadata } from '../../../packages/core/src/kernel/input/metadata.ts';
import {
  containsCardNumber,
  redactCardNumbers,
} from '../../../packages/core/src/kernel/secrets/card-number-text.ts';
import { redactCredentialText } from '../../../packages/core/src/kernel/secrets/credential-text.ts';
import { ChargeCreateInput } from '../../../packages/core/src/payments/charges/charge-input.ts';
import { checkTree } from '../../../packages/http/src/body/check-tree.ts';
import { coercionFor } from '../../../packages/http/src/body/coercion.ts';
import { bodyFormat } from '../../../packages/http/src/body/content-type.ts';
import { nestFlatNames, parseForm } from '../../../packages/http/src/body/form-text.ts';
import { parseJson } from '../../../packages/http/src/body/json-text.ts';
import { fingerprintRequest } from '../../../packages/http/src/fingerprint.ts';
import { assertNoForbiddenTexts } from '../../../packages/http/src/forbidden-texts.ts';
import { readIdempotencyKey } from '../../../packages/http/src/idempotent.ts';
import { readOrigin } from '../../../packages/http/src/origin.ts';
import { paramPath } from '../../../packages/http/src/param-path.ts';
import { readExpansion } from '../../../packages/http/src/routing/expand.ts';
import { RouteIndex } from '../../../packages/http/src/routing/route-index.ts';
import { validateInput } from '../../../packages/http/src/routing/validate-input.ts';
import { shownText } from '../../../packages/http/src/shown-text.ts';
import { DiffReader } from '../../../packages/paymount/src/commands/scan/scan-diff.ts';
import { ScannedText } from '../../../packages/paymount/src/commands/scan/scan-text.ts';
import { requestTarget } from '../../../packages/paymount/src/mount/request-target.ts';
import { parseSignatureHeader } from '../../../packages/receiver/src/signature-header.ts';
import { verify } from '../../../packages/receiver/src/verify.ts';

/** Makes an input of a size, about so many characters, and gives back what reads it. */
export type Sized = (size: number) => () => unknown;

const repeated = (piece: string, size: number): string =>
  piece.repeat(Math.ceil(size / piece.length));
/** Pieces with a number each, so that no two are alike. */
const numbered = (piece: (index: number) => string, size: number): string[] =>
  Array.from({ length: Math.ceil(size / piece(0).length) }, (_, index) => piece(index));

/** One reader, on one text in each way of growing. */
function onTexts(read: (input: string) => unknown, pieces: readonly string[]): [string, Sized][] {
  return pieces.map((piece) => [
    JSON.stringify(piece).slice(0, 40),
    (size) => {
      const input = repeated(piece, size);
      return () => read(input);
    },
  ]);
}

const KEY = mintKey('secret', 'test');
const CARD = '4242'.repeat(4);
const PLAIN = ['a', ' ', '1', '%41', '\u00e9', '\r\n', '"'];
const SECRETS = ['a', ' ', '%25', KEY, `${KEY} `, KEY.slice(0, -1), 'sk_live_', 'whsec_'];
const CARDS = [CARD, `${CARD} `, '4', '42 ', '1234,', '\u0664', '+4', 'DE89 37'];
const FORMS = [
  'a&',
  '&',
  '=',
  'a=1&',
  'a[]=1&',
  'a[0]=1&',
  'a[][]=1&',
  'a[b][]=1&',
  '[',
  ']',
  'a[',
  '[a]',
];
const LISTS = ['a,', ',', '1.2.3.4,', '::1,', '10.0.0.1, ', '[', 'a=b,', 't=1,', 'v1=', '=', ';'];

/** A form has at most 1,000 parameters; the size is that of their names and values. */
const manyNames: readonly [string, Sized][] = [
  ['distinct names', (size) => readForm(numbered((at) => `name${at}=${at}`, size).join('&'))],
  ['indexes', (size) => readForm(numbered((at) => `a[${at}]=${at}`, size).join('&'))],
  ['huge indexes', (size) => readForm(numbered((at) => `a[9${at}9999999999]=1`, size).join('&'))],
  ['a name nested deeply', (size) => readForm(`a${repeated('[b]', size)}=1`)],
  ['a name nested deeply, twice', (size) => readForm(repeated(`a${repeated('[b]', size)}=1&`, 2))],
  ['one long value', (size) => readForm(`a=${repeated('%41+', size)}`)],
];

function readForm(form: string): () => unknown {
  return () => checkTree(parseForm(form));
}

const jsons: readonly [string, Sized][] = [
  ['members', (size) => readJson(`{${numbered((at) => `"m${at}":${at}`, size).join()}}`)],
  [
    'a member twice at the end',
    (size) => readJson(`{${numbered((at) => `"m${at}":${at}`, size).join()},"m1":1}`),
  ],
  ['deep arrays', (size) => readJson(`{"a":${repeated('[', size)}${repeated(']', size)}}`)],
  [
    'deep objects',
    (size) => readJson(`{"a":${repeated('{"a":', size)}1${'}'.repeat(Math.ceil(size / 5))}}`),
  ],
  [
    'deep objects, a member twice',
    (size) => readJson(`{"b":${repeated('{"a":', size)}1${'}'.repeat(Math.ceil(size / 5))},"b":1}`),
  ],
  ['a long number', (size) => readJson(`{"a":1${repeated('0', size)}.5}`)],
  ['a long fraction', (size) => readJson(`{"a":1.${repeated('0', size)}1}`)],
  [
    'numbers that are rewritten',
    (size) => readJson(`{"a":[${repeated('1.00000000000000000000001,', size)}1]}`),
  ],
  ['escapes', (size) => readJson(`{"a":"${repeated('\\\\', size)}"}`)],
  [
    'escaped names',
    (size) => readJson(`{${numbered((at) => `"\\u0061${at}":1`, size).join()},"a1":1}`),
  ],
  ['colons in texts', (size) => readJson(`{"a":"${repeated(':', size)}"}`)],
];

function readJson(json: string): () => unknown {
  return () => checkTree(parseJson(json));
}

const coerce = coercionFor(ChargeCreateInput);
const routes = new RouteIndex([{ method: 'GET', pattern: '/v1/charges/:id' } as const]);
const proxied = new ClientAddresses(['10.0.0.0/8']);
const asRequest = (facts: object): IncomingMessage => facts as IncomingMessage;
const metadata = (size: number): Record<string, string> =>
  Object.fromEntries(numbered((at) => `k${at}`, size).map((name) => [name, 'v']));
const principal = { scopes: 'all' } as unknown as Parameters<typeof readExpansion>[2];
const digest = 'a'.repeat(64);

/** Everything that reads what others send, by name, with the ways in which its input grows. */
export const PARSERS: Readonly<Record<string, readonly [string, Sized][]>> = {
  'a form': [...onTexts((form) => checkTree(parseForm(form)), [...FORMS, ...PLAIN]), ...manyNames],
  'names that a host parsed flat': [
    [
      'names',
      (size) => {
        const tree = Object.fromEntries(
          numbered((at) => `a[${at}]`, size).map((name) => [name, '1']),
        );
        return () => nestFlatNames(tree);
      },
    ],
    [
      'a list, and its name with brackets',
      (size) => {
        const tree = { 'a[]': Array.from({ length: size }, () => '1'), 'a[0]': ['1'] };
        return () => nestFlatNames(tree);
      },
    ],
  ],
  'a JSON body': [...jsons, ...onTexts(parseJson, ['{', '[', '"', '1', ' ', '\\', ':', ','])],
  'a tree': [
    ['many names', (size) => () => checkTree(metadata(size))],
    [
      'a long list of names in a list',
      (size) => {
        const tree = {
          a: [Object.fromEntries(numbered((at) => `m${at}`, size).map((name) => [name, 1]))],
        };
        return () => checkTree(tree);
      },
    ],
  ],
  'parameters by a schema': [
    [
      'unknown names',
      (size) => {
        const tree = metadata(size);
        return () => validateInput(ChargeCreateInput, coerce(tree, []));
      },
    ],
    [
      'metadata',
      (size) => {
        const tree = { amount: '1', currency: 'eur', source: 'a', metadata: metadata(size) };
        return () => validateInput(ChargeCreateInput, coerce(tree, []));
      },
    ],
    [
      'a long text',
      (size) => {
        const tree = {
          amount: repeated('1', size),
          currency: repeated('e', size),
          description: repeated('a', size),
        };
        return () => validateInput(ChargeCreateInput, coerce(tree, []));
      },
    ],
  ],
  'texts that may hold secrets or cards': onTexts(
    (input) => assertNoForbiddenTexts({ a: input, [input]: [input] }, { cards: true }),
    [...SECRETS, ...CARDS],
  ),
  'card numbers': onTexts((input) => [containsCardNumber(input), redactCardNumbers(input)], CARDS),
  credentials: onTexts(
    (input) => [
      [...findCredentials(input)],
      [...recognizeCredentials(input)],
      containsSecret(input),
      redactCredentials(input),
      redactCredentialText(input),
    ],
    SECRETS,
  ),
  'texts that are shown': onTexts(
    (input) => [shownText(input, 100), shownPlace(input, 100), paramPath([input, input])],
    [...SECRETS, ...CARDS],
  ),
  'a path of a parameter': [
    [
      'many segments',
      (size) => {
        const path = numbered((at) => `s${at}`, size);
        return () => paramPath(path);
      },
    ],
  ],
  metadata: [
    [
      'entries',
      (size) => {
        const input = metadata(size);
        return () => mergeMetadata({}, input);
      },
    ],
    ...onTexts((input) => mergeMetadata({ a: 'b' }, { a: input }), PLAIN),
  ],
  'texts, times, addresses of mail': onTexts(
    (input) => [EmailInput, IsoInput, text(100)].map((schema) => schema.safeParse(input).success),
    [...PLAIN, 'a.', 'a@', 'a@b.', '.', '2026-', '2026-01-01T00:00:00.0', 'Z', '+00:00'],
  ),
  'ids and cursors': onTexts(
    (input) => [
      parseId('ch', input),
      parseId('ch', `ch_${input}`),
      missing('charge', input).message,
    ],
    [...PLAIN, 'ch_', 'a_'],
  ),
  'event patterns': onTexts(
    (input) => EnabledEventsInput.safeParse([input]).success,
    [...PLAIN, 'charge.', '*'],
  ),
  'paths in expand': onTexts(
    (input) => readExpansion({ expand: [input] }, {}, principal),
    [...PLAIN, 'data.', '.'],
  ),
  'the Authorization header': [
    ...onTexts(
      (input) => validateKey(readCredential({ rawHeaders: ['Authorization', input] })),
      SECRETS,
    ),
    ...onTexts(
      (input) => validateKey(readCredential({ rawHeaders: ['Authorization', `Bearer ${input}`] })),
      SECRETS,
    ),
    ...onTexts(
      (input) => validateKey(readCredential({ rawHeaders: ['Authorization', `Basic ${input}`] })),
      [...SECRETS, 'YTpi', '='],
    ),
  ],
  "an admin's Authorization header": onTexts(
    (input) => {
      const request = asRequest({ headersDistinct: { authorization: [`Bearer ${input}`] } });
      return [bearerToken(request), rejectApiKeys(request)];
    },
    [...SECRETS, 'a.', '.', 'basic ', 'Bearer '],
  ),
  'X-Forwarded-For': onTexts(
    (input) => proxied.of({ remoteAddress: '10.0.0.1', forwardedFor: input }),
    [...LISTS, '10.0.0.1,', ' '],
  ),
  'addresses and ranges': onTexts(
    (input) => [canonicalAddress(input), canonicalRanges([input, `1.2.3.4/${input}`])],
    [...LISTS, '0', '0.', '1', '/', '%', ':'],
  ),
  'the Idempotency-Key': onTexts(
    (input) => readIdempotencyKey({ 'idempotency-key': [input] }, { cards: true }),
    [...SECRETS, ...CARDS],
  ),
  'Origin, Host, User-Agent, Content-Type': onTexts(
    (input) => {
      const headers = { origin: input, host: input, 'user-agent': input, 'content-type': input };
      isForeignPage(asRequest({ headers }), undefined);
      readOrigin(asRequest({ headers }), undefined);
      return bodyFormat(headers);
    },
    [...LISTS, ...PLAIN, 'https://', 'application/json;', 'charset=utf-8;'],
  ),
  'a target': onTexts(
    (input) => {
      const { pathname } = requestTarget(asRequest({ url: `/v1/${input}` }));
      return routes.find('GET', pathname);
    },
    [...PLAIN, '/', '?', '//', 'charges/'],
  ),
  'a fingerprint': [
    [
      'many parameters',
      (size) => {
        const parameters = metadata(size);
        return () =>
          fingerprintRequest(new Uint8Array(32), {
            owner: { environment: 'test' },
            method: 'POST',
            path: '/',
            parameters,
          });
      },
    ],
  ],
  'a signature header': onTexts(
    (input) => {
      parseSignatureHeader(input);
      const header = { 'service-signature': `t=1,v1=${digest},${input}` };
      return verify({ body: input, headers: header, secret: `whsec_${'A'.repeat(43)}=` });
    },
    [...LISTS, ...PLAIN, `v1=${digest},`, 'v2=a,'],
  ),
  'a report of leaks': [
    [
      'matches',
      (size) => {
        const body = Buffer.from(
          `[${numbered((at) => `{"token":"a${at}","type":"b"}`, size).join()}]`,
        );
        return () => readGithubReport(body);
      },
    ],
  ],
  'a response for the log': onTexts(
    (input) =>
      redactReceived({
        environment: 'live',
        responseHeaders: { 'x-echo': input },
        responseBody: Buffer.from(input),
        responseTruncated: true,
      }),
    [
      ...SECRETS,
      ...CARDS,
      'a://',
      'a://b:',
      'a://b:c@',
      'a://b:c@ ',
      '@',
      '%34',
      '%25',
      '%2534',
      '%C3',
      '%34%32%34%32%20',
    ],
  ),
  'a mail': onTexts(
    (input) => composeMail({ subject: input, parts: [input, [input]] }),
    [...PLAIN, '<', '&'],
  ),
  'files that are scanned': [
    ...onTexts((input) => {
      const scanned = new ScannedText();
      return [
        [...splitChunks(input)].flatMap((chunk) => [...scanned.push(chunk)]),
        [...scanned.end()],
      ];
    }, SECRETS),
    ...onTexts(
      (input) => {
        const reader = new DiffReader(() => undefined);
        const chunks = [...splitChunks(`commit a\n+++ b/a\n@@ -1 +1 @@\n${input}`)];
        return [chunks.flatMap((chunk) => [...reader.push(Buffer.from(chunk))]), [...reader.end()]];
      },
      [...SECRETS, '+a\n', '-a\n', '@', '@@ -1,1 +1 @@\n', ' -1', '+++ b/a\n', `+${KEY}\n`],
    ),
  ],
  'a stream of events': onTexts(
    (input) => {
      const blocks = new StreamBlocks();
      return [...splitChunks(input)].map((chunk) => blocks.read(Buffer.from(chunk)));
    },
    [...PLAIN, '\n', 'data: a\n', 'id: a\n\n', ':\n'],
  ),
  'overrides of a trigger': onTexts(
    (input) => readOverrides([input, `a=${input}`, `${input}=a`]),
    [...PLAIN, 'a.', '=', '[', '{"a":'],
  ),
};

/** As they come from a file or a socket. */
function* splitChunks(input: string): Generator<string> {
  for (let at = 0; at < input.length; at += 100) yield input.slice(at, at + 100);
}

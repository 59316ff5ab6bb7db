import { createHash, createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { SignatureError, verify } from 'paymount/receiver';
import { at, sign, vector } from '../support/vector.ts';

const { body, eventId, timestampSeconds: now, secretA: secret, secretB: other } = vector;
const good = sign(body, now, secret);
const digest = good.slice(good.indexOf('v1=') + 3);

type Delivery = Parameters<typeof verify>[0];
/** How a delivery differs from the good one, and why it is refused. */
type Vector = readonly [what: string, code: string, change: Partial<Delivery> | string];

const hmacOf = (key: string | Buffer, text: string, algorithm = 'sha256'): string =>
  createHmac(algorithm, key).update(text).digest('hex');
const header = (value: string, t: number | string = now): string => `t=${t},v1=${value}`;
const signed = `${now}.${body}`;

/** What attackers sign with, or over, instead. */
const FORGED: readonly Vector[] = [
  ['another secret', sign(body, now, other)],
  ['an empty secret', header(hmacOf('', signed))],
  ['the secret without its prefix', header(hmacOf(secret.slice(6), signed))],
  [
    'the bytes that the secret encodes',
    header(hmacOf(Buffer.from(secret.slice(6), 'base64'), signed)),
  ],
  ['the secret in capitals', header(hmacOf(secret.toUpperCase(), signed))],
  ['the secret with a line break', header(hmacOf(`${secret}\n`, signed))],
  ['the hash of the secret', header(hmacOf(createHash('sha256').update(secret).digest(), signed))],
  ['the id of the event', header(hmacOf(eventId, signed))],
  ['the word undefined', header(hmacOf('undefined', signed))],
  ['the body alone', header(hmacOf(secret, body))],
  ['the body before the time', header(hmacOf(secret, `${body}.${now}`))],
  ['the time without its dot', header(hmacOf(secret, `${now}${body}`))],
  ['a colon for the dot', header(hmacOf(secret, `${now}:${body}`))],
  ['the time alone', header(hmacOf(secret, `${now}.`))],
  ['nothing', header(hmacOf(secret, ''))],
  ['milliseconds', header(hmacOf(secret, `${now * 1000}.${body}`))],
  ['another time than it says', header(digest, now - 1)],
  ['a later time than it says', header(digest, now + 1)],
  ['the id, as other schemes do', header(hmacOf(secret, `${eventId}.${now}.${body}`))],
  [
    'a body that was written again',
    header(hmacOf(secret, `${now}.${JSON.stringify(JSON.parse(body), null, 1)}`)),
  ],
  ['the body in capitals', header(hmacOf(secret, `${now}.${body.toUpperCase()}`))],
  [
    'the body in hexadecimal',
    header(hmacOf(secret, `${now}.${Buffer.from(body).toString('hex')}`)),
  ],
  ['no key, but a plain hash', header(createHash('sha256').update(signed).digest('hex'))],
  [
    'no key, but secret and body hashed',
    header(
      createHash('sha256')
        .update(secret + signed)
        .digest('hex'),
    ),
  ],
  ['SHA3', header(hmacOf(secret, signed, 'sha3-256'))],
  ['half of SHA-512', header(hmacOf(secret, signed, 'sha512').slice(0, 64))],
  ['SHA-512/256', header(hmacOf(secret, signed, 'sha512-256'))],
  ['zeros', header('0'.repeat(64))],
  ['random bytes', header(randomBytes(32).toString('hex'))],
  ['the right one backwards', header([...digest].reverse().join(''))],
  ['all but the last character', header(digest.slice(0, 63) + (digest.endsWith('0') ? '1' : '0'))],
  ['all but the first character', header((digest.startsWith('0') ? '1' : '0') + digest.slice(1))],
  ['twenty wrong ones but one', `t=${now}${`,v1=${'a'.repeat(64)}`.repeat(19)}`],
].map(([what, value]) => [`a signature of ${what}`, 'signature_mismatch', value ?? ''] as const);

/** The right signature of a body that is not this one. */
const OTHER_BODIES: readonly Vector[] = [
  ['another amount', body.replace('4200', '4201')],
  ['live for test', body.replace('"livemode":false', '"livemode":true')],
  ['another id', body.replace(eventId, `${eventId.slice(0, -1)}0`)],
  ['a space more', `${body} `],
  ['a line break more', `${body}\n`],
  ['a byte order mark', `\ufeff${body}`],
  ['a member more', body.replace('{"id"', '{"x":1,"id"')],
  ['a member twice', body.replace('"amount":4200', '"amount":4200,"amount":1')],
  [
    'its members in another order',
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse())),
  ],
  ['escaped characters', body.replace('é', '\\u00e9')],
  ['decomposed characters', body.normalize('NFD')],
  ['nothing at all', ''],
  ['an empty object', '{}'],
  ['its first half', body.slice(0, 160)],
  ['itself twice', body + body],
  ['Latin-1 bytes', Buffer.from(body, 'latin1')],
  ['UTF-16 bytes', Buffer.from(body, 'utf16le')],
  ['the time in front', signed],
].map(
  ([what, changed]) =>
    [`a body with ${String(what)}`, 'signature_mismatch', { body: changed }] as const,
);

/** Headers that are none. */
const MALFORMED: readonly Vector[] = [
  ['nothing', ''],
  ['a space', ' '],
  ['a comma', ','],
  ['the digest alone', digest],
  ['no time', `v1=${digest}`],
  ['no digest', `t=${now}`],
  ['an empty time', header(digest, '')],
  ['an empty digest', header('')],
  ['two times', `t=${now},t=${now},v1=${digest}`],
  ['two different times', `t=${now},v1=${digest},t=${now - 1000}`],
  ['a negative time', header(digest, -now)],
  ['a signed time', header(digest, `+${now}`)],
  ['a fraction', header(digest, `${now}.0`)],
  ['an exponent', header(digest, '1e9')],
  ['a hexadecimal time', header(digest, `0x${now.toString(16)}`)],
  ['a leading zero', header(digest, `0${now}`)],
  ['a time in other digits', header(digest, '١٧٩٥٢٥٣٤٠٥')],
  ['an ISO time', header(digest, '2026-11-21T09:30:05Z')],
  ['no number', header(digest, 'NaN')],
  ['infinity', header(digest, 'Infinity')],
  ['a time of 13 digits', header(digest, '9'.repeat(13))],
  ['capitals', header(digest.toUpperCase())],
  ['one capital', header(`A${digest.slice(1)}`)],
  ['a digest cut short', header(digest.slice(0, 62))],
  ['a digest too long', header(`${digest}00`)],
  ['base64', header(Buffer.from(digest, 'hex').toString('base64'))],
  ['a digest in quotes', header(`"${digest}"`)],
  ['a letter that is no digit', header(`g${digest.slice(1)}`)],
  ['a space after the comma', `t=${now}, v1=${digest}`],
  ['a space in front', ` ${good}`],
  ['a line break at the end', `${good}\n`],
  ['a NUL at the end', `${good}\0`],
  ['semicolons', `t=${now};v1=${digest}`],
  ['colons', `t:${now},v1:${digest}`],
  ['names in capitals', `T=${now},V1=${digest}`],
  ['another version alone', `t=${now},v0=${digest}`],
  ['a later version alone', `t=${now},v2=${digest}`],
  ['v1 of another scheme', `v1,${digest}`],
  ['JSON', JSON.stringify({ t: now, v1: digest })],
  ['a comma at the end', `${good},`],
  ['an unnamed part', `${good},=x`],
  ['21 parts', `t=${now}${`,v1=${digest}`.repeat(20)}`],
  ['2,001 characters', `${good},v9=${'x'.repeat(2_001)}`],
  ['one good and one bad digest', `${good},v1=zz`],
  ['__proto__ for a name', `__proto__=x,${good}`],
].map(([what, value]) => [`a header of ${what}`, 'header_malformed', value ?? ''] as const);

const OTHERS: readonly Vector[] = [
  ['no header', 'header_missing', { headers: {} }],
  ['the header of another sender', 'header_missing', { headers: { 'stripe-signature': good } }],
  ['the header twice', 'header_malformed', { headers: { 'service-signature': [good, good] } }],
  [
    'the header twice, one of them wrong',
    'header_malformed',
    {
      headers: { 'service-signature': [header('0'.repeat(64)), good] },
    },
  ],
  ['an empty list of headers', 'header_missing', { headers: { 'service-signature': [] } }],
  ['a time 301 s past', 'timestamp_outside_tolerance', { now: at(301) }],
  ['a time 301 s ahead', 'timestamp_outside_tolerance', { now: at(-301) }],
  ['a time in milliseconds', 'timestamp_outside_tolerance', sign(body, now * 100, secret)],
  ['time 0', 'timestamp_outside_tolerance', sign(body, 0, secret)],
  ['a receiver without a clock', 'timestamp_outside_tolerance', { now: new Date(Number.NaN) }],
  [
    'a tolerance that is no number',
    'timestamp_outside_tolerance',
    { toleranceSeconds: Number.NaN },
  ],
  ['a negative tolerance', 'timestamp_outside_tolerance', { toleranceSeconds: -1 }],
  ['a body that was parsed', 'body_not_raw', { body: JSON.parse(body) }],
  ['no body', 'body_not_raw', { body: undefined }],
  ['null for a body', 'body_not_raw', { body: null }],
];

const VECTORS = [...FORGED, ...OTHER_BODIES, ...MALFORMED, ...OTHERS];

describe('a broken signature', () => {
  const delivery = { body, headers: { 'service-signature': good }, secret, now: at() };

  it('is one of more than a hundred, each unlike the others', () => {
    expect(VECTORS.length).to.be.at.least(100);
    expect(new Set(VECTORS.map(([what]) => what)).size).to.equal(VECTORS.length);
    expect(verify(delivery).id).to.equal(eventId);
  });

  for (const [what, code, change] of VECTORS) {
    it(`is refused: ${what}`, () => {
      const changed =
        typeof change === 'string' ? { headers: { 'service-signature': change } } : change;
      let refusal: unknown;
      try {
        verify({ ...delivery, ...changed } as Delivery);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).to.be.instanceOf(SignatureError);
      const { code: found, message } = refusal as SignatureError;
      expect(found, message).to.equal(code);
      // What was expected would let its reader forge the next one.
      expect(message).to.not.include(digest);
      expect(message).to.not.include(secret.slice(6, -4));
    });
  }
});

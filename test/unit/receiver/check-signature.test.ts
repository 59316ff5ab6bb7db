import { expect } from 'chai';
import fc from 'fast-check';
import { signDelivery } from 'paymount-receiver/internal';
import { checkSignature } from '../../../packages/receiver/src/check-signature.ts';
import { headerA, vector } from '../../support/vector.ts';

const { body, secretA, secretB, serviceA, serviceB, timestampSeconds } = vector;

function check(header: string, change: Partial<Parameters<typeof checkSignature>[0]> = {}): string {
  return checkSignature({
    body,
    header,
    secrets: [secretA],
    nowSeconds: timestampSeconds,
    ...change,
  });
}

describe('checkSignature', () => {
  it('accepts the vector as a string and as bytes', () => {
    expect(check(headerA)).to.equal('valid');
    expect(check(headerA, { body: Buffer.from(body) })).to.equal('valid');
    expect(check(headerA, { body: new Uint8Array(Buffer.from(body)) })).to.equal('valid');
  });

  it('accepts either of two v1, whichever secret the receiver has', () => {
    const header = `t=${timestampSeconds},v1=${serviceB},v1=${serviceA}`;
    expect(check(header)).to.equal('valid');
    expect(check(header, { secrets: [secretB] })).to.equal('valid');
  });

  it('tries every secret of the receiver', () => {
    expect(check(headerA, { secrets: [secretB, secretA] })).to.equal('valid');
    expect(check(headerA, { secrets: [secretB] })).to.equal('mismatch');
    expect(check(headerA, { secrets: [] })).to.equal('mismatch');
  });

  it('takes v1 before t, and skips schemes that it does not know', () => {
    expect(check(`v1=${serviceA},t=${timestampSeconds}`)).to.equal('valid');
    expect(check(`t=${timestampSeconds},v2=AbC+/==,v1=${serviceA}`)).to.equal('valid');
    expect(check(`t=${timestampSeconds},v2=${serviceA}`)).to.equal('malformed');
  });

  for (const [offset, verdict] of [
    [-301, 'stale'],
    [-300, 'valid'],
    [-299, 'valid'],
    [299, 'valid'],
    [300, 'valid'],
    [301, 'stale'],
  ] as const) {
    it(`answers '${verdict}' when the clock is ${offset} s from the timestamp`, () => {
      expect(check(headerA, { nowSeconds: timestampSeconds + offset })).to.equal(verdict);
    });
  }

  it('refuses, rather than accepts, when the clock or the tolerance is not a number', () => {
    expect(check(headerA, { nowSeconds: Number.NaN })).to.equal('stale');
    expect(check(headerA, { toleranceSeconds: Number.NaN })).to.equal('stale');
  });

  it('refuses the body after any one bit changed', () => {
    const bytes = Buffer.from(body);
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(check(headerA, { body: changed }), `byte ${index}`).to.equal('mismatch');
    }
  });

  it('refuses a digest after any one character changed', () => {
    for (let index = 0; index < serviceA.length; index += 1) {
      const other = serviceA[index] === '0' ? '1' : '0';
      const digest = serviceA.slice(0, index) + other + serviceA.slice(index + 1);
      expect(check(`t=${timestampSeconds},v1=${digest}`)).to.equal('mismatch');
    }
  });

  it('refuses the digest under another timestamp', () => {
    expect(check(`t=${timestampSeconds + 1},v1=${serviceA}`)).to.equal('mismatch');
  });

  it('takes any body that signDelivery signed, and refuses it after one bit changed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), fc.nat(), (bytes, place) => {
        const signed = signDelivery({
          body: Buffer.from(bytes),
          eventId: vector.eventId,
          timestampSeconds,
          secrets: [secretB, secretA],
        });
        const header = signed['Service-Signature'];
        expect(check(header, { body: bytes })).to.equal('valid');
        const changed = Uint8Array.from(bytes);
        const index = place % bytes.length;
        changed[index] = (changed[index] ?? 0) ^ 1;
        expect(check(header, { body: changed })).to.equal('mismatch');
      }),
    );
  });
});

describe('a malformed header', () => {
  const t = `t=${timestampSeconds}`;
  const v1 = `v1=${serviceA}`;
  const written = [
    '',
    ' ',
    ',',
    '=',
    't',
    'v1',
    t,
    v1,
    `${t},`,
    `,${t},${v1}`,
    `${t},,${v1}`,
    `${t},${v1},`,
    `${t}, ${v1}`,
    ` ${t},${v1}`,
    `${t},${v1} `,
    `${t} ,${v1}`,
    `${t};${v1}`,
    `${t}&${v1}`,
    `${t}\n,${v1}`,
    `${t},\t${v1}`,
    `${t},${v1}\0`,
    `${t},${t},${v1}`,
    `${t},t=1,${v1}`,
    `T=${timestampSeconds},${v1}`,
    `${t},V1=${serviceA}`,
    `${t},v1=${serviceA.toUpperCase()}`,
    `${t},v1=${serviceA.slice(1)}`,
    `${t},v1=${serviceA}0`,
    `${t},v1=${serviceA.replace('b', 'g')}`,
    `${t},v1=${serviceA.replace('bc', '')}`,
    `${t},v1=`,
    `${t},v1`,
    `${t},v1==${serviceA}`,
    `${t},${v1},v1=`,
    `${t},${v1},v1=zz`,
    `${t},v1="${serviceA}"`,
    `${t},v1='${serviceA}'`,
    `${t},v1=0x${serviceA.slice(2)}`,
    `${t},v1=${vector.webhookA}`,
    `v1,${vector.webhookA}`,
    `${t},v2=${serviceA}`,
    `${t},v0=${serviceA}`,
    `${t},${serviceA}`,
    `t=,${v1}`,
    `t=-1,${v1}`,
    `t=+${timestampSeconds},${v1}`,
    `t=0${timestampSeconds},${v1}`,
    `t=${timestampSeconds}.0,${v1}`,
    `t=${timestampSeconds}e0,${v1}`,
    `t=0x6b01c15d,${v1}`,
    `t=1e9,${v1}`,
    `t=NaN,${v1}`,
    `t=Infinity,${v1}`,
    `t=null,${v1}`,
    `t=1795253405123456,${v1}`,
    `t=１７９５２５３４０５,${v1}`,
    `t=2026-11-21T09:30:05Z,${v1}`,
    `t="${timestampSeconds}",${v1}`,
    `t:${timestampSeconds},v1:${serviceA}`,
    `{"t":${timestampSeconds},"v1":"${serviceA}"}`,
    `t%3D${timestampSeconds}%2Cv1%3D${serviceA}`,
    `sha256=${serviceA}`,
    `Bearer ${serviceA}`,
    `__proto__=1,${t}`,
    `${t},constructor=${serviceA}`,
    `${t},é=1,${v1}`,
    `${t},😀,${v1}`,
    `${t},v1=${serviceA}, ${t},v1=${serviceA}`,
    `${t},${Array.from({ length: 20 }, () => v1).join(',')}`,
    `${t},${v1},x=${'a'.repeat(3_000)}`,
    `${t},${','.repeat(5_000)}${v1}`,
  ];
  const cut = Array.from({ length: headerA.length }, (_, length) => headerA.slice(0, length));

  it(`is refused in each of ${written.length + cut.length} variants`, () => {
    expect(written.length + cut.length).to.be.greaterThan(100);
    for (const header of [...written, ...cut]) {
      expect(check(header), JSON.stringify(header)).to.equal('malformed');
    }
  });

  it('is never valid, never an exception and never slow, whatever it holds', () => {
    const piece = fc.constantFrom(
      't',
      'v1',
      'v2',
      '=',
      ',',
      ' ',
      '1795253405',
      serviceA,
      '\0',
      'é',
    );
    const anything = fc.oneof(
      fc.string({ maxLength: 3_000 }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(anything, (header) => {
        expect(check(header, { secrets: [secretB] })).to.be.oneOf([
          'malformed',
          'stale',
          'mismatch',
        ]);
      }),
      { numRuns: 2_000 },
    );
  });
});

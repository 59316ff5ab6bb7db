import { expect } from 'chai';
import { arrayLiteral } from '../../packages/storage-postgres/src/connection/array-literal.ts';
import { freshDatabase, query } from '../support/database.ts';

describe('arrays as parameters', () => {
  it('have the syntax of PostgreSQL', () => {
    expect(arrayLiteral([])).to.equal('{}');
    expect(arrayLiteral(['a', null, undefined, 'NULL', ''])).to.equal('{"a",NULL,NULL,"NULL",""}');
    expect(arrayLiteral([1, -1.5, true, false, 10n])).to.equal('{1,-1.5,true,false,10}');
    expect(arrayLiteral([new Date('2026-11-01T09:30:00.123Z')])).to.equal(
      '{"2026-11-01T09:30:00.123Z"}',
    );
    expect(arrayLiteral([new Uint8Array([1, 255]), Buffer.alloc(0)])).to.equal(
      String.raw`{"\\x01ff","\\x"}`,
    );
    expect(() => arrayLiteral([{}])).to.throw(TypeError, 'no form in an array');
    expect(() => arrayLiteral([[1]])).to.throw(TypeError, 'no form in an array');
  });

  it('come back from the server as they were', async () => {
    const database = await freshDatabase();
    const texts = ['{}', ',', '"', '\\', '\\"', '{"a":"b\\n\\"c"}', ' x ', '\n\t', 'NULL', 'ü€𝄞'];
    try {
      const [row] = await query<{ texts: string[]; bytes: Buffer[] }>(
        database.url,
        'SELECT $1::text[] AS texts, $2::bytea[] AS bytes',
        [arrayLiteral(texts), arrayLiteral([Buffer.from([0, 92, 34, 255])])],
      );
      expect(row?.texts).to.deep.equal(texts);
      expect(row?.bytes[0]?.toString('hex')).to.equal('005c22ff');
    } finally {
      await database.drop();
    }
  });
});

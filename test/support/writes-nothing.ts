import { expect } from 'chai';
import { tableContents } from './table-contents.ts';

/**
 * The last test of a `describe`: the others in it wrote nothing. It compares the tables once for all of them,
 * because that costs as much as many requests.
 * @param databaseUrl called when the tests run
 * @param except names of other tables that do not matter
 */
export function itWritesNothing(databaseUrl: () => string, except: readonly string[] = []): void {
  let contents: Record<string, string>;
  before(async () => {
    contents = await tableContents(databaseUrl(), except);
  });
  it('writes nothing', async () => {
    expect(await tableContents(databaseUrl(), except)).to.deep.equal(contents);
  });
}

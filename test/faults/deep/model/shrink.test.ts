import { expect } from 'chai';
import { shrink } from './shrink.ts';

/** Fails at the first 7 that has a 3 before it. */
async function failsAt(steps: readonly number[]): Promise<number | undefined> {
  const third = steps.indexOf(3);
  const seventh = steps.findIndex((step, index) => step === 7 && index > third);
  return third < 0 || seventh < 0 ? undefined : seventh;
}

describe('shrinking a failing sequence', () => {
  const long = Array.from({ length: 60 }, (_, index) => index % 10);

  it('leaves only what it needs to fail', async () => {
    expect(await shrink(long, failsAt, () => true)).to.deep.equal([3, 7]);
  });

  it('ends when there is no more time, with a sequence that fails', async () => {
    let tries = 2;
    const found = await shrink(long, failsAt, () => tries-- > 0);
    expect(await failsAt(found)).to.equal(found.length - 1);
    expect(found.length).to.be.within(3, 59);
  });
});

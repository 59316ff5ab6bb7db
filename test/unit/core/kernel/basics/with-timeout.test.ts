import { withTimeout } from '@paymount/core/kernel';
import { expect } from 'chai';

const never = new Promise<string>(() => undefined);

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('withTimeout', () => {
  it('gives what the work gives in time, and rejects as it rejects', async () => {
    expect(await withTimeout(Promise.resolve('done'), 60_000)).to.equal('done');
    const failure = new Error('refused');
    expect(await thrownBy(withTimeout(Promise.reject(failure), 60_000))).to.equal(failure);
  });

  it('rejects when the work takes longer', async () => {
    expect(await thrownBy(withTimeout(never, 1)))
      .to.be.an('error')
      .with.property('message', 'No answer within 1 ms.');
  });

  it('rejects with another error, or gives another result, where the caller says so', async () => {
    const failure = new TypeError('late');
    const late = (): never => {
      throw failure;
    };
    expect(await thrownBy(withTimeout(never, 1, late))).to.equal(failure);
    expect(await withTimeout(never, 1, () => 'instead')).to.equal('instead');
  });
});

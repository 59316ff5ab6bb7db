import { expect } from 'chai';
import { evaluate, type Measurement, notMeasured, toCounts, toExitCode } from './figure.ts';

const measured = (values: readonly number[], invalid: readonly string[] = []): Measurement => ({
  figures: [{ name: 'ratio', unit: '', values, atLeast: 0.5 }],
  sides: [],
  invalid,
});

describe('a benchmark is judged', () => {
  it('by its median: one bad round does not fail it', () => {
    expect(evaluate('auth', measured([0.4, 0.6, 0.7])).verdict).to.equal('reached');
  });

  it('as missed when the median misses the minimum', () => {
    expect(evaluate('auth', measured([0.4, 0.49, 0.9])).verdict).to.equal('missed');
  });

  it('as missed when the median exceeds a maximum', () => {
    const figures = [{ name: 'idle', unit: '%', values: [1.1], atMost: 1 }];
    expect(evaluate('idle', { figures, sides: [], invalid: [] }).verdict).to.equal('missed');
  });

  it('as invalid, whatever its ratio, when a window measured too little', () => {
    const result = evaluate('auth', measured([0.9], ['3 requests were not answered 2xx']));
    expect([result.verdict, result.reasons]).to.deep.equal([
      'invalid',
      ['3 requests were not answered 2xx'],
    ]);
  });
});

describe('a figure is marked as noisy', () => {
  const noisyOf = (unit: string): boolean | undefined => {
    const figures = [{ name: 'figure', unit, values: [0.1, 0.3] }];
    return evaluate('any', { figures, sides: [], invalid: [] }).figures[0]?.noisy;
  };

  it('when it is a ratio whose ends differ by over a factor of two', () => {
    expect(noisyOf('')).to.equal(true);
  });

  it('never when it is a difference or a share', () => {
    expect(noisyOf('µs')).to.equal(false);
  });
});

describe('the exit code of a run', () => {
  const reached = evaluate('a', measured([0.9]));
  const missed = evaluate('b', measured([0.1]));
  const invalid = evaluate('c', measured([0.9], ['rows are missing']));
  const absent = notMeasured('d', 'there is no pgbench');

  it('is 0 when every figure was reached', () => {
    expect(toExitCode([reached, reached])).to.equal(0);
  });

  it('is 1 for a missed figure and for an invalid run', () => {
    expect([toExitCode([reached, missed]), toExitCode([reached, invalid])]).to.deep.equal([1, 1]);
  });

  it('is 2, never 0, for what was not measured, and 1 when something was missed besides', () => {
    expect([toExitCode([reached, absent]), toExitCode([absent, missed])]).to.deep.equal([2, 1]);
  });

  it('is counted in the last line, where what was not measured is skipped', () => {
    const counts = toCounts([reached, missed, invalid, absent]);
    expect(counts).to.deep.equal({ passed: 1, failed: 2, skipped: 1 });
  });
});

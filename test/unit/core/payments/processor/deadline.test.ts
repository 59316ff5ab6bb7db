import { expect } from 'chai';
import { withDeadline } from '../../../../../packages/core/src/payments/processor/deadline.ts';

describe('the deadline of a call', () => {
  it('passes on a later answer, even if the signal was aborted', async () => {
    let answer: (word: string) => void = () => undefined;
    const late = new Promise<string>((heard) => {
      const call = () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        });
      withDeadline(5, call, heard).catch((error: Error) => answer(`late, after: ${error.message}`));
    });
    expect(await late).to.equal('late, after: No answer within 5 ms.');
  });

  it('takes what is answered without a promise, as the conformance suite does', async () => {
    const call = (() => 'at once') as unknown as () => Promise<string>;
    expect(await withDeadline(1_000, call)).to.equal('at once');
  });

  it('hands on nothing that came in time, and nothing that failed later', async () => {
    const late: string[] = [];
    const told = (word: string): void => void late.push(word);
    expect(await withDeadline(1_000, async () => 'in time', told)).to.equal('in time');
    let fail: (error: Error) => void = () => undefined;
    const call = () =>
      new Promise<string>((_, reject) => {
        fail = reject;
      });
    const failure = await withDeadline(5, call, told).catch((error: Error) => error.message);
    fail(new Error('too late'));
    expect([failure, late]).to.deep.equal(['No answer within 5 ms.', []]);
  });
});

import type { NoticeDirectory, OperationDirectory } from '@paymount/core/payments';

/** The results, of both environments, that have waited for the hook for more than 5 minutes. */
export async function countHookWaits({
  operations,
  notices,
}: {
  readonly operations: Pick<OperationDirectory, 'underReview'>;
  readonly notices: Pick<NoticeDirectory, 'underReview'>;
}): Promise<number> {
  const results = await operations.underReview();
  const reported = await notices.underReview();
  return [results, reported].reduce(
    (sum, { live, test }) => sum + live.hookWaits + test.hookWaits,
    0,
  );
}

/** The number as the beginning of a sentence: `2 results have waited`. */
export function describeHookWaits(waiting: number): string {
  return waiting === 1 ? '1 result has waited' : `${waiting} results have waited`;
}

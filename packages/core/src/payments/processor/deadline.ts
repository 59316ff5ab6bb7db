import { withTimeout } from '../../kernel/basics/with-timeout.ts';

/** The time that a processor has to answer. */
export const OPERATION_DEADLINE_MS = 30_000;

/**
 * Rejects at the deadline even if the adapter ignores its signal.
 * @param call of an adapter; a JavaScript adapter may also return a value instead of a promise
 * @param onLate called with the result if it comes after the deadline
 */
export async function withDeadline<Result>(
  ms: number,
  call: (deadline: AbortSignal) => Promise<Result>,
  onLate: (result: Result) => void = () => undefined,
): Promise<Result> {
  const controller = new AbortController();
  let isLate = false;
  const answered = async (): Promise<Result> => {
    const result = await call(controller.signal);
    if (isLate) onLate(result);
    return result;
  };
  return withTimeout(answered(), ms, () => {
    isLate = true;
    const error = new Error(`No answer within ${ms} ms.`);
    controller.abort(error);
    throw error;
  });
}

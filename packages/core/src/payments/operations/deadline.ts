/**
 * Ends at the deadline even when the adapter ignores its signal.
 * @param call of an adapter; one without types may also answer at once, without a promise
 * @param onLate told what the call gives after the deadline
 */
export async function withDeadline<Result>(
  ms: number,
  call: (deadline: AbortSignal) => Promise<Result>,
  onLate: (result: Result) => void = () => undefined,
): Promise<Result> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`No answer within ${ms} ms.`);
      isLate = true;
      controller.abort(error);
      reject(error);
    }, ms);
  });
  const answered = async (): Promise<Result> => {
    const result = await call(controller.signal);
    if (isLate) onLate(result);
    return result;
  };
  try {
    return await Promise.race([answered(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

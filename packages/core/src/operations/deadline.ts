/**
 * Ends at the deadline even when the adapter ignores its signal.
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
  try {
    const answered = call(controller.signal).then((result) => {
      if (isLate) onLate(result);
      return result;
    });
    return await Promise.race([answered, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What work comes to, if it does within the limit; the work itself goes on.
 * @throws Error when it takes longer; whatever the work throws
 */
export function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`No answer within ${limitMs} ms.`));
    const timer = setTimeout(late, limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

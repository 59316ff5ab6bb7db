/**
 * Rejects if `work` takes longer than `limitMs`. It does not stop the work.
 * @throws Error after `limitMs`; otherwise the error of `work`
 */
export function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`No answer within ${limitMs} ms.`));
    const timer = setTimeout(late, limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

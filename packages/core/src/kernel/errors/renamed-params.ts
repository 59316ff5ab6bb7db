import { PaymountError } from './paymount-error.ts';

/**
 * Does work whose parameters the caller knows by other names, because they are members of another one.
 * @param rename the name as it was sent, of the one in the error
 * @throws PaymountError as the work, with `param` renamed
 */
export async function withRenamedParams<Result>(
  work: () => Promise<Result>,
  rename: (param: string) => string,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!PaymountError.is(error) || error.param === undefined) throw error;
    const isTarget = error.status === 404 && { isTarget: true as const };
    const details = { ...error, ...isTarget, param: rename(error.param), cause: error };
    throw new PaymountError(error.code, error.message, details);
  }
}

/** Work of a test clock failed at one object; the `cause` says why. */
export class ObjectWorkError extends Error {
  /** The id of the object. */
  readonly object: string;

  constructor(object: string, cause: unknown) {
    super(`The work on ${object} failed.`, { cause });
    this.object = object;
  }
}

/**
 * Does work on one object of several.
 * @param object its id
 * @throws ObjectWorkError if it fails
 */
export async function workOn<Result>(object: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new ObjectWorkError(object, cause);
  }
}

/** Why a worker cannot do what is due. */
export interface Failing {
  /** ISO 8601. */
  readonly since: string;
  /** A sentence or two for people. */
  readonly message: string;
}

/**
 * Whether a secret still signs at a time. Secrets that have expired are kept, and an endpoint may
 * have any number of them: an index has this expression, so that no statement reads them.
 * @param alias of `endpoint_secrets`
 */
export function signsAt(alias: string, time: string): string {
  return `COALESCE(${alias}.expires_at, 'infinity') > ${time}`;
}

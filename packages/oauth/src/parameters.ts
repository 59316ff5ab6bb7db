import { PaymountError } from '@paymount/core/kernel';

/** The parameters of a request, as they were sent. */
export type Parameters = Readonly<Record<string, unknown>>;

/**
 * The value of a parameter. An empty one counts as absent, and one that was sent twice is refused
 * (RFC 6749, section 3.2).
 * @throws PaymountError `invalid_request`
 */
export function optional(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  const fault = Array.isArray(value) ? 'was sent more than once' : 'must be a text';
  throw new PaymountError('invalid_request', `${name} ${fault}.`, { param: name });
}

/** The values of a parameter that may be sent any number of times, such as checkboxes. */
export function all(parameters: Parameters, name: string): readonly unknown[] {
  const value = parameters[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** As `optional`, for a parameter without which the request has no meaning. */
export function required(parameters: Parameters, name: string): string {
  const value = optional(parameters, name);
  if (value !== undefined) return value;
  throw new PaymountError('invalid_request', `${name} is required.`, { param: name });
}

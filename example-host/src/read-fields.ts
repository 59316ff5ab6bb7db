import type { Request } from 'express';

/** The fields of a JSON body; none when it is something else. */
export function readFields(request: Request): Readonly<Record<string, unknown>> {
  const body: unknown = request.body;
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

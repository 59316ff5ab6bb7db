import type { Request } from 'express';

/** The fields of a JSON body; empty for anything else. */
export function readFields(request: Request): Readonly<Record<string, unknown>> {
  const body: unknown = request.body;
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

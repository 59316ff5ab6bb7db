import { APPROVED } from './charge-scan.ts';

/** A query for the `subject_id` of each refund that a notice returned after it had succeeded. */
export function returnedRefunds(schema: string): string {
  return `SELECT subject_id FROM ${schema}.operations WHERE kind = 'refund' AND ${APPROVED}
    AND id IN (SELECT found_id FROM ${schema}.notices
      WHERE state = 'applied' AND kind = 'refund.failed')`;
}

/** What the clocks of two processes may differ. */
const SLACK = "interval '1 hour'";
/** Of the suffix of an id. */
const BASE_32 = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * When events were deleted as old, for `FROM`, in at most one row: `created_before`, and `suffix_before`,
 * with which the suffixes of ids begin that are made then.
 * @param s the schema's quoted name
 */
export function purgedEvents(s: string): string {
  return `(SELECT until.created_before, (SELECT string_agg(substr('${BASE_32}',
          (floor(extract(epoch FROM until.created_before) * 1000)::bigint >> (45 - 5 * place) & 31)::integer
            + 1, 1), '' ORDER BY place)
        FROM generate_series(0, 9) place) AS suffix_before
    FROM (SELECT created_before + ${SLACK} AS created_before
      FROM ${s}.purges WHERE table_name = 'events') until)`;
}

/**
 * Whether events of an object may have been deleted as old: no event is older than its object. What is on
 * a test clock says only by its id when it was made.
 * @param row alias of the object
 * @param purged alias of `purgedEvents`
 */
export function mayBePurged(row: string, purged: string): string {
  return `(CASE WHEN ${row}.test_clock_id IS NULL THEN ${row}.created < ${purged}.created_before
    ELSE split_part(${row}.id, '_', 2) COLLATE "C" < ${purged}.suffix_before END IS TRUE)`;
}

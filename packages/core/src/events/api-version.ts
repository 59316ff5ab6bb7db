/** Date-formatted versions of what events and endpoints show (specification: Versioning). */
export const API_VERSIONS = ['2026-11-01'] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** New endpoints are pinned to it. */
export const CURRENT_API_VERSION: ApiVersion = '2026-11-01';

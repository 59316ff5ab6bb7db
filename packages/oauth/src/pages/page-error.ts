import type { PageTexts } from './texts/page-texts.ts';

/** A refusal that a page shows to its user, in the user's language. */
export class PageError extends Error {
  readonly status: number;
  readonly reason: PageReason;

  constructor(status: number, reason: PageReason) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }
}

/** The texts of refusals. */
export type PageReason = keyof PageTexts['errors'];

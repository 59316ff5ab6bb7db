import type { PageTexts } from './texts/page-texts.ts';

/** A refusal that a page shows to its user, in the user's language. */
export class PageError extends Error {
  readonly status: number;
  readonly reason: keyof PageTexts['errors'];
  /** The path of a page to open instead. Without one, the user must start again. */
  readonly openAgain: string | undefined;

  constructor(status: number, reason: keyof PageTexts['errors'], openAgain?: string) {
    super(reason);
    this.status = status;
    this.reason = reason;
    this.openAgain = openAgain;
  }
}

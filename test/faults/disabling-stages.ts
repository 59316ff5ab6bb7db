/** The mail server has taken the mail, and that is not recorded yet. */
export const AFTER_SMTP = 'mail.after_smtp';

/** A place where workers die. */
export interface Place {
  readonly point: string;
  /** Size 1 stops here only. */
  readonly isSmall?: true;
  /** What leads there is done when the worker dies, so that nobody comes by again. */
  readonly isOnce?: true;
}

/** A time in the life of a failing endpoint. */
export interface Stage {
  /** After the first failure. */
  readonly atHours: number;
  /** The subject of the mail that the owner gets then. */
  readonly subject?: string;
  /** An event leads to each of them. */
  readonly places: readonly Place[];
  /** A changed status leads to each of them. */
  readonly steps?: readonly Place[];
  /** A mail in the outbox leads to each of them. */
  readonly mailing?: readonly Place[];
}

const SENDING: readonly Place[] = [
  { point: 'send.response_read' },
  { point: 'close.before_commit' },
];
const MAILING: readonly Place[] = [{ point: 'mail.before_smtp' }, { point: AFTER_SMTP }];
const WARNING: readonly Place[] = [
  ...SENDING,
  { point: 'warn.before_commit' },
  { point: 'close.after_commit' },
];
/** Where workers die once the endpoint is enabled. */
export const RESUMING: readonly Place[] = [
  { point: 'resume.before_commit' },
  { point: 'resume.after_commit', isOnce: true },
];

/** Its stages, and where workers die in each. */
export const STAGES: readonly Stage[] = [
  { atHours: 0, places: [...SENDING, { point: 'close.after_commit' }] },
  {
    atHours: 24,
    subject: 'A test webhook endpoint of Fault shop is failing',
    places: WARNING,
    mailing: MAILING,
  },
  {
    atHours: 60,
    subject: 'A test webhook endpoint of Fault shop will be disabled soon',
    places: WARNING,
    mailing: MAILING,
  },
  {
    atHours: 72,
    subject: 'A test webhook endpoint of Fault shop was disabled',
    places: [
      ...SENDING,
      { point: 'disable.before_commit', isSmall: true },
      { point: 'close.after_commit', isOnce: true },
    ],
    steps: [{ point: 'park.before_commit' }, { point: 'park.after_commit' }],
    mailing: [{ point: 'mail.before_smtp' }, { point: AFTER_SMTP, isSmall: true }],
  },
];

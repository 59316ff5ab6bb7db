import type { Scope } from '@paymount/core/kernel';

/**
 * The texts of the pages in one language. `{platform}`, `{user}`, `{host}`, `{account}`, `{date}` and
 * `{request}` are replaced.
 */
export interface PageTexts {
  readonly title: string;
  readonly signedInAs: string;
  readonly account: string;
  readonly chooseAccount: string;
  readonly permissions: string;
  readonly permissionsHelp: string;
  readonly movesMoney: string;
  readonly scopes: Readonly<Record<Scope, string>>;
  readonly returnTo: string;
  readonly testMode: string;
  readonly withdraw: string;
  readonly allow: string;
  readonly cancel: string;
  readonly chooseScope: string;
  readonly applications: {
    readonly title: string;
    readonly none: string;
    readonly mayAct: string;
    readonly allowedOn: string;
    readonly lastUsedOn: string;
    readonly notUsed: string;
    readonly end: string;
    readonly more: string;
  };
  readonly newLogin: {
    readonly title: string;
    readonly message: string;
    readonly next: string;
  };
  readonly errorTitle: string;
  readonly startAgain: string;
  readonly openAgain: string;
  readonly tryLater: string;
  readonly reportIt: string;
  readonly problems: {
    readonly tooMany: string;
    readonly unavailable: string;
    readonly failed: string;
  };
  readonly errors: {
    readonly unknownPlatform: string;
    readonly unknownRedirect: string;
    readonly otherBrowser: string;
    readonly otherUser: string;
    readonly expired: string;
    readonly answered: string;
    readonly loginFailed: string;
    readonly foreignForm: string;
    readonly oldForm: string;
    readonly otherAccount: string;
    readonly suspendedAccount: string;
    readonly noAccounts: string;
  };
}

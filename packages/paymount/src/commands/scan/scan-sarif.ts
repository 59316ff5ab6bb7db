import { type Finding, type Scanned, wordsOf } from './scan-finding.ts';

/** The rules that `scanners/gitleaks.toml` has too. */
const RULES = [
  {
    id: 'paymount-credential',
    name: 'PaymountCredential',
    shortDescription: { text: 'A key or an OAuth credential of Paymount' },
    help: { text: 'Revoke it and remove it from the code. Anyone who has read it can use it.' },
  },
  {
    id: 'paymount-signing-secret',
    name: 'PaymountSigningSecret',
    shortDescription: { text: 'The signing secret of a webhook endpoint of Paymount' },
    help: { text: 'Rotate it. Anyone who has read it can forge events.' },
  },
] as const;

/**
 * What code hosts read of a scan: SARIF 2.1.0 (OASIS), one result for each finding.
 * @param version of this package
 */
export function sarifOf(scanned: Scanned, version: string): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'paymount', semanticVersion: version, rules: RULES } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: scanned.unread.length === 0 && !scanned.truncated,
            toolExecutionNotifications: scanned.unread.map(({ file, reason }) => ({
              level: 'error',
              message: { text: `${file} could not be read (${reason}).` },
            })),
          },
        ],
        results: scanned.findings.map(resultOf),
      },
    ],
  };
}

function resultOf(finding: Finding): object {
  const { file, line, column, commit, found } = finding;
  const ruleIndex = found.what.kind === 'signing_secret' ? 1 : 0;
  const where = commit === undefined ? '' : `, added in commit ${commit}`;
  return {
    ruleId: RULES[ruleIndex].id,
    ruleIndex,
    level: 'error',
    message: { text: `A ${wordsOf(finding)} of Paymount: ${found.what.redacted}${where}.` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: {
            startLine: line,
            startColumn: column,
            endColumn: column + found.credential.reveal().length,
          },
        },
      },
    ],
    ...(commit === undefined ? {} : { properties: { commit } }),
  };
}

/** A reference, relative as the path is (RFC 3986): `#`, `?` and `%` of a name are escaped. */
function uriOf(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}

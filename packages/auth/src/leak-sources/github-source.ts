import type { LeakSource } from '@paymount/core/access';
import type { GithubKeys } from './github-keys.ts';
import { feedbackOn, githubVerifier, readGithubReport } from './github-report.ts';

/** The name of GitHub's secret scanning. */
export const GITHUB = 'github';

/** @returns GitHub's secret scanning, which signs with the keys that it publishes */
export function githubSource(keys: Pick<GithubKeys, 'find'>): LeakSource {
  return {
    name: GITHUB,
    async verify(headers) {
      const assertSigned = await githubVerifier(headers, keys);
      return (body) => {
        assertSigned(body);
        const { matches, passedOver } = readGithubReport(body);
        return {
          exposures: matches.map(({ token, url }) => ({
            credential: token,
            ...(url === '' ? {} : { url }),
          })),
          passedOver,
          answer: (verdicts) => feedbackOn(matches, verdicts),
        };
      };
    },
  };
}

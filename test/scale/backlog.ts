import type { EndpointId } from '@paymount/core/kernel';
import { type BacklogSetup, openBacklogSetup, STATISTICS } from '../support/backlog-setup.ts';
import type { Scenario } from './scenario.ts';

const OTHERS = 200;
/** Some look at up to 250 endpoints each, of which there are 10,000. */
const MAX_CLAIMS = 50;
/** About 48 for each of the 128 rows that a claim writes, which are in many indexes. A walk through the backlog reads more. */
const MAX_BLOCKS = 7_000;
const FIRST = `we_${'0'.repeat(26)}` as EndpointId;

/** One endpoint has a backlog and no free slot. */
export const backlog: Scenario = {
  name: 'backlog',
  law: 'However much is due at one endpoint, and whatever statistics say, the others are claimed.',
  sizes: { small: 20_000, whole: 200_000 },
  async run(size) {
    const violations: string[] = [];
    let mostBlocks = 0;
    let mostClaims = 0;
    for (const endpoints of [OTHERS + 1, 10_000]) {
      const setup = await openBacklogSetup({ endpoints, events: size });
      try {
        for (const statistics of STATISTICS) {
          await setup.load({ done: size, atFirst: size, others: OTHERS }, statistics);
          const { claims, left, blocks } = await claimOthers(setup);
          mostClaims = Math.max(mostClaims, claims);
          mostBlocks = Math.max(mostBlocks, blocks);
          const where = `${endpoints} endpoints, statistics ${statistics}`;
          if (left > 0) violations.push(`${where}: ${left} left after ${claims} claims`);
          if (blocks > MAX_BLOCKS) violations.push(`${where}: a claim looked at ${blocks} pages`);
        }
      } finally {
        await setup.close();
      }
    }
    return { violations, figures: { 'most claims': mostClaims, 'most pages': mostBlocks } };
  },
};

/** Claims until all but the first endpoint have nothing due. */
async function claimOthers({ postgres, explain }: BacklogSetup): Promise<{
  readonly claims: number;
  readonly left: number;
  readonly blocks: number;
}> {
  let left = OTHERS;
  let cursor = '';
  let claims = 0;
  let blocks = 0;
  while (left > 0 && claims < MAX_CLAIMS) {
    const explained = await explain(async () => {
      const { deliveries, next = '' } = await postgres.deliveries.claimDue({
        shiftMs: 0,
        origin: 'event',
        limit: 128,
        leaseToken: 'scale',
        leaseMs: 600_000,
        cursor,
        excluded: [FIRST],
        excludedAccounts: [],
        lane: 'fast',
        graceMs: 0,
      });
      left -= deliveries.length;
      cursor = next;
    });
    claims += 1;
    blocks = Math.max(blocks, ...explained.map((each) => each.blocks));
  }
  return { claims, left, blocks };
}

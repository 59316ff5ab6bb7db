import { billingLaws } from '../../support/billing-laws.ts';
import { query } from '../../support/database.ts';
import { sampleDay } from '../../support/depth.ts';
import { type CalendarUnit, later } from '../../support/wall-clock.ts';
import { SeededRandom } from '../money/seeded-random.ts';
import { type Findings, type Scenario, Tally } from '../scenario.ts';
import { type Merchant, openSetup, type Setup } from './setup.ts';

/** Zones with and without summer time, of half and quarter hours, on both sides of the date line. */
const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Pacific/Chatham',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Asia/Tokyo',
] as const;

/** Ends of months, a leap day, and days before the clocks of New York or Berlin skip or repeat that hour. */
const STARTS = [
  '2031-12-31T12:00:00.000Z',
  '2032-01-31T23:30:00.000Z',
  '2032-02-29T10:00:00.000Z',
  '2032-03-10T07:30:00.000Z',
  '2032-03-20T01:30:00.000Z',
  '2032-10-20T00:30:00.000Z',
  '2032-11-01T05:30:00.000Z',
] as const;

const INTERVALS: readonly (readonly [CalendarUnit, number])[] = [
  ['day', 1],
  ['month', 1],
  ['week', 1],
  ['month', 3],
  ['year', 1],
];

const PERIODS = 24;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The clock stands still, goes on, or jumps over many periods. */
const STEPS_MS = [0, MINUTE_MS, 7 * HOUR_MS, DAY_MS, 5 * DAY_MS, 40 * DAY_MS, 400 * DAY_MS];
/** Accounts, so that none delays the others. */
const PER_ACCOUNT = 250;
/** Of so many subscriptions, one is charged; the others cost nothing. */
const CHARGED = 5;

/** One subscription, and what is expected of it. */
interface Planned {
  readonly zone: (typeof ZONES)[number];
  readonly start: string;
  readonly unit: CalendarUnit;
  readonly every: number;
  readonly isCharged: boolean;
  /** The boundaries of its periods, computed without the code under test. */
  readonly boundaries: readonly Date[];
}

interface Made extends Planned {
  readonly id: string;
}

interface Run {
  readonly setup: Setup;
  readonly tally: Tally;
}

/** Size: subscriptions. */
export const calendar: Scenario = {
  name: 'calendar',
  law: `Each of ${PERIODS} periods begins and ends at its date in twelve time zones, and is billed once, never early.`,
  sizes: { small: 12, nightly: 1_000, full: 10_000 },
  async run(size, seed = Math.floor(Math.random() * 2 ** 32)): Promise<Findings> {
    const random = new SeededRandom(seed);
    const setup = await openSetup(STARTS[0]);
    const run: Run = { setup, tally: new Tally() };
    try {
      const made = await play(run, plans(size), random);
      const violations = [
        ...(await judge(run, made)),
        ...(await billingLaws(setup.databaseUrl, setup.clock.now())),
        ...(await setup.verify()),
      ];
      return { violations, counts: { seed, ...run.tally.toCounts() } };
    } finally {
      await setup.close();
    }
  },
};

/** Zones and intervals take turns, and a small run takes other combinations each day. */
function plans(size: number): readonly Planned[] {
  return Array.from({ length: size }, (_, index) => {
    const place = index + sampleDay * size;
    const zone = ZONES[index % ZONES.length] ?? 'UTC';
    const start = STARTS[(place + Math.floor(place / ZONES.length)) % STARTS.length] ?? STARTS[0];
    const [unit, every] = INTERVALS[place % INTERVALS.length] ?? ['day', 1];
    const boundaries = Array.from({ length: PERIODS + 1 }, (__, count) =>
      later(new Date(start), zone, unit, count * every),
    );
    return { zone, start, unit, every, isCharged: index % CHARGED === 0, boundaries };
  });
}

/** Two schedulers bill while the clock moves on, until the last period is over. */
async function play(
  run: Run,
  planned: readonly Planned[],
  random: SeededRandom,
): Promise<readonly Made[]> {
  const { setup, tally } = run;
  const made: Made[] = [];
  for (const start of STARTS) {
    await passUntil(run, new Date(start), random);
    const beginning = planned.filter((plan) => plan.start === start);
    for (let from = 0; from < beginning.length; from += PER_ACCOUNT) {
      made.push(...(await beginAll(setup, beginning.slice(from, from + PER_ACCOUNT))));
    }
  }
  const ends = planned.map(({ boundaries }) => boundaries.at(-1)?.getTime() ?? 0);
  await passUntil(run, new Date(Math.max(...ends)), random);
  tally.add('subscriptions', made.length);
  return made;
}

async function passUntil({ setup, tally }: Run, until: Date, random: SeededRandom): Promise<void> {
  for (let left = 1; left > 0; ) {
    left = until.getTime() - setup.clock.now().getTime();
    setup.clock.advance(Math.max(0, Math.min(left, random.pick(STEPS_MS))));
    tally.add('moves of the clock');
    for (let isDue = true; isDue; ) {
      const passes = await Promise.all([setup.bill(), setup.bill()]);
      isDue = passes.includes(true);
    }
  }
}

async function beginAll(setup: Setup, planned: readonly Planned[]): Promise<readonly Made[]> {
  const merchant = await setup.newMerchant();
  const customer = String((await make(merchant, 'customers'))['id']);
  const card = { type: 'card', card: { token: 'tok' } };
  const method = String((await make(merchant, 'payment_methods', card))['id']);
  await make(merchant, `payment_methods/${method}/attach`, { customer });
  const prices = new Map<string, string>();
  const made: Made[] = [];
  for (const plan of planned) {
    const { unit, every, zone, isCharged, boundaries } = plan;
    const name = `${every} ${unit}`;
    const price = prices.get(name) ?? (await newPrice(merchant, unit, every));
    prices.set(name, price);
    const subscription = await make(merchant, 'subscriptions', {
      customer,
      items: [{ price, quantity: isCharged ? 1 : 0 }],
      default_payment_method: method,
      billing_timezone: zone,
      cancel_at: boundaries.at(-1)?.toISOString(),
    });
    made.push({ ...plan, id: String(subscription['id']) });
  }
  await merchant.close();
  return made;
}

async function newPrice(merchant: Merchant, unit: CalendarUnit, every: number): Promise<string> {
  const price = await make(merchant, 'prices', {
    product_data: { name: 'Basic' },
    currency: 'eur',
    unit_amount: 100,
    recurring: { interval: unit, interval_count: every },
  });
  return String(price['id']);
}

async function make(
  merchant: Merchant,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { status, json, text } = await merchant.post(path, body);
  if (status !== 200) throw new Error(`POST ${path} was answered ${text}`);
  return json;
}

interface Billed {
  readonly id: string;
  readonly status: string;
  readonly index: number;
  readonly start: Date;
  readonly end: Date;
  readonly invoices: number;
  readonly early: number;
}

/** Missed, doubled, early, or at another date. */
async function judge({ setup, tally }: Run, made: readonly Made[]): Promise<readonly string[]> {
  const rows = await query<Billed>(
    setup.databaseUrl,
    `SELECT u.id, u.status, p.index, p.starts_at AS start, p.ends_at AS "end",
       count(i.id)::integer AS invoices,
       (count(*) FILTER (WHERE i.created < p.starts_at))::integer AS early
     FROM paymount.subscriptions u
     JOIN paymount.billing_periods p ON (p.account_id, p.livemode, p.subscription_id)
       = (u.account_id, u.livemode, u.id)
     LEFT JOIN paymount.invoices i ON (i.account_id, i.livemode, i.subscription_id, i.period_index)
       = (p.account_id, p.livemode, p.subscription_id, p.index)
     GROUP BY u.id, u.status, p.index, p.starts_at, p.ends_at ORDER BY u.id, p.index`,
  );
  const byId = new Map<string, Billed[]>();
  for (const row of rows) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  const violations: string[] = [];
  for (const plan of made) {
    const periods = byId.get(plan.id) ?? [];
    tally.add('periods', periods.length);
    const found = periods.map(describe);
    const expected = plan.boundaries.slice(0, -1).map((start, index) =>
      describe({
        status: 'canceled',
        index,
        start,
        end: plan.boundaries[index + 1] ?? start,
        invoices: 1,
        early: 0,
      }),
    );
    const wrong = expected.findIndex((each, index) => each !== found[index]);
    if (wrong === -1 && found.length === expected.length) continue;
    const where = `${plan.id}, every ${plan.every} ${plan.unit} in ${plan.zone} from ${plan.start}`;
    const at = wrong === -1 ? expected.length : wrong;
    violations.push(
      `${where}: expected ${expected[at] ?? 'no more'}, found ${found[at] ?? 'none'}.`,
    );
  }
  return violations;
}

function describe({ status, index, start, end, invoices, early }: Omit<Billed, 'id'>): string {
  const dates = `${start.toISOString()} to ${end.toISOString()}`;
  return `${status} with period ${index} from ${dates}, invoices ${invoices}, early ${early}`;
}

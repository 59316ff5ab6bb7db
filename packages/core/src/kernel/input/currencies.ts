/**
 * ISO 4217, list one as published on 2026-01-01, and withdrawn codes that a release has accepted.
 * Metals, units of account of institutions, and the codes for tests and for no currency are left out,
 * because they are no money. CONTRIBUTING.md says how to renew it.
 */
const CODES_BY_DIGITS: readonly (readonly [digits: number, codes: readonly string[]])[] = [
  [0, ['bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf']],
  [
    2,
    [
      'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob bov brl bsd btn',
      'bwp byn bzd cad cdf che chf chw cny cop cou crc cuc cup cve czk dkk dop dzd egp ern',
      'etb eur fjd fkp gbp gel ghs gip gmd gtq gyd hkd hnl htg huf idr ils inr irr jmd kes',
      'kgs khr kpw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mru mur mvr mwk',
      'mxn mxv myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar',
      'sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt top try ttd twd',
      'tzs uah usd usn uyu uzs ved ves wst xcd xcg yer zar zmw zwg',
    ],
  ],
  [3, ['bhd iqd jod kwd lyd omr tnd']],
  [4, ['clf uyw']],
];

/** When a code came into force, or was withdrawn, as the amendments say. */
export interface CurrencyDates {
  /** The first day, in UTC. */
  readonly from?: string;
  /** The first day on which it is no longer in force, in UTC. */
  readonly until?: string;
  /** The code that took its place. */
  readonly successor?: string;
}

/**
 * The dates of codes that an amendment has changed since the first release. What is withdrawn stays,
 * because there may be money in it. All other codes are in force.
 */
export const CURRENCY_DATES: Readonly<Record<string, CurrencyDates>> = {
  ang: { until: '2025-03-31', successor: 'xcg' },
  bgn: { until: '2026-01-01', successor: 'eur' },
  cuc: { until: '2021-06-30', successor: 'cup' },
  xcg: { from: '2025-03-31' },
};

/** Decimal digits of the minor unit of each currency, by code in lower case, withdrawn ones too. */
export const CURRENCY_DIGITS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DIGITS.flatMap(([digits, lines]) =>
    lines.flatMap((line) => line.split(' ')).map((code) => [code, digits] as const),
  ),
);

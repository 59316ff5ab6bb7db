/** One bar of a chart. */
export interface Bar {
  /** Its own in the chart: at the end of summer time, two hours have one label. */
  readonly key: string;
  /** Such as an hour. */
  readonly label: string;
  /** One number for each series. */
  readonly values: readonly number[];
}

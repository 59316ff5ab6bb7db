import { Group, Text } from '@mantine/core';
import type { Bar } from './bar.ts';
import classes from './bar-chart.module.css';

/** One kind of things that is counted; `color` is a name of the stylesheet. */
export interface Series {
  readonly name: string;
  readonly color: 'good' | 'bad' | 'warning' | 'quiet';
}

interface BarChartProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
}

const HEIGHT = 120;
const GAP = 0.2;
const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

/** Stacked bars. Screen readers get the same numbers as a table. */
export function BarChart({ label, series, bars }: BarChartProps) {
  const highest = Math.max(1, ...bars.map(({ values }) => sum(values)));
  return (
    <figure className={classes['figure']}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Group gap="sm">
          {series.map(({ name, color }, index) => (
            <Text key={name} size="xs" c="dimmed">
              <span className={classes['swatch']} data-color={color} />
              {name} {sum(bars.map(({ values }) => values[index] ?? 0)).toLocaleString('en')}
            </Text>
          ))}
        </Group>
        <Text size="xs" c="dimmed">
          highest {highest.toLocaleString('en')}
        </Text>
      </Group>
      <svg
        className={classes['chart']}
        viewBox={`0 0 ${bars.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map((bar, at) => (
          <StackedBar key={bar.key} {...{ bar, at, series, highest }} />
        ))}
      </svg>
      <Group justify="space-between" aria-hidden="true">
        <Text size="xs" c="dimmed">
          {bars[0]?.label}
        </Text>
        <Text size="xs" c="dimmed">
          {bars.at(-1)?.label}
        </Text>
      </Group>
      <div className={classes['numbers']}>
        <NumbersTable {...{ label, series, bars }} />
      </div>
    </figure>
  );
}

interface StackedBarProps {
  readonly bar: Bar;
  readonly at: number;
  readonly series: readonly Series[];
  readonly highest: number;
}

function StackedBar({ bar, at, series, highest }: StackedBarProps) {
  const lines = series.map(({ name }, index) => `${name}: ${bar.values[index] ?? 0}`);
  return (
    <g>
      <title>{[bar.label, ...lines].join('\n')}</title>
      <rect x={at} y={0} width={1} height={HEIGHT} className={classes['hover']} />
      {series.map(({ name, color }, index) => {
        const height = ((bar.values[index] ?? 0) / highest) * HEIGHT;
        const below = (sum(bar.values.slice(0, index)) / highest) * HEIGHT;
        return (
          <rect
            key={name}
            x={at + GAP / 2}
            y={HEIGHT - below - height}
            width={1 - GAP}
            height={height}
            className={classes['bar']}
            data-color={color}
          />
        );
      })}
    </g>
  );
}

function NumbersTable({ label, series, bars }: BarChartProps) {
  return (
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.key}>
            <th scope="row">{bar.label}</th>
            {series.map(({ name }, index) => (
              <td key={name}>{bar.values[index] ?? 0}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

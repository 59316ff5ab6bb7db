import { Text } from '@mantine/core';
import type { Attempt } from '../../api/resources.ts';
import classes from './waterfall.module.css';

interface Step {
  readonly name: string;
  readonly from: number;
  readonly ms: number;
}

/** Where the time of an attempt went, step after step. */
export function Waterfall({ attempt }: { attempt: Attempt }) {
  const total = Math.max(1, attempt.duration_ms);
  return (
    <table className={classes['table']}>
      <caption>
        <Text size="sm" fw={600} ta="left" mt="md">
          Time: {attempt.duration_ms} ms
        </Text>
      </caption>
      <tbody>
        {stepsOf(attempt).map(({ name, from, ms }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className={classes['bar']}>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  x={(from / total) * 100}
                  width={Math.max(0.5, (ms / total) * 100)}
                  height={8}
                />
              </svg>
            </td>
            <td>{ms} ms</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function stepsOf(attempt: Attempt): readonly Step[] {
  const measured: readonly (readonly [string, number | null])[] = [
    ['Find the address', attempt.dns_ms],
    ['Connect', attempt.connect_ms],
    ['TLS', attempt.tls_ms],
    ['Wait for the answer', attempt.wait_ms],
  ];
  const steps: Step[] = [];
  let from = 0;
  for (const [name, ms] of measured) {
    if (ms === null) continue;
    steps.push({ name, from, ms });
    from += ms;
  }
  const rest = attempt.duration_ms - from;
  return rest > 0 ? [...steps, { name: 'The rest', from, ms: rest }] : steps;
}

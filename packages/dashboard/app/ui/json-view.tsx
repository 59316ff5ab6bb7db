import { Group, Text } from '@mantine/core';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';
import classes from './json-view.module.css';

interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
}

/** A JSON value: its objects and lists fold, and the whole of it is copied. */
export function JsonView({ value, label }: JsonViewProps) {
  return (
    <>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyButton text={JSON.stringify(value, null, 2)} what={label} />
      </Group>
      <section className={classes['json']} aria-label={label}>
        <Node value={value} depth={0} />
      </section>
    </>
  );
}

/** A text that may be JSON. */
export function JsonText({ text, label }: { text: string; label: string }) {
  try {
    return <JsonView value={JSON.parse(text) as unknown} label={label} />;
  } catch {
    return <CodeBlock text={text} label={label} />;
  }
}

/** Deeper objects begin folded. */
const OPEN_DEPTH = 3;

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const before = name === undefined ? '' : `${name}: `;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes['line']}>
        <span className={classes['name']}>{before}</span>
        <span data-type={value === null ? 'null' : typeof value}>{JSON.stringify(value)}</span>
      </div>
    );
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0)
    return <div className={classes['line']}>{`${before}${open}${close}`}</div>;
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>
        <span className={classes['name']}>{before}</span>
        {open}
        <span className={classes['folded']}>{` ${entries.length} … ${close}`}</span>
      </summary>
      <div className={classes['inside']}>
        {entries.map(([key, each]) => (
          <Node
            key={key}
            value={each}
            depth={depth + 1}
            {...(!Array.isArray(value) && { name: key })}
          />
        ))}
      </div>
      <div className={classes['line']}>{close}</div>
    </details>
  );
}

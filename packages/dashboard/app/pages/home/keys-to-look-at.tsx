import { List, Skeleton, Text } from '@mantine/core';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Time } from '../../ui/time.tsx';
import { concernsOf } from './key-concerns.ts';
import { useKeysThatMayWork } from './use-keys-that-may-work.ts';

/** Keys that end soon, and keys that nobody uses. */
export function KeysToLookAt() {
  const { data, error } = useKeysThatMayWork();
  if (error) return <ErrorMessage error={error} />;
  if (data === undefined) return <Skeleton h={48} />;
  const { ending, unused } = concernsOf(data.items, Date.now());
  return (
    <>
      {ending.length + unused.length === 0 && (
        <Text size="sm">
          {data.isWhole ? 'No key ends soon, and all are used.' : 'There is none among them.'}
        </Text>
      )}
      <List size="sm" spacing="xs">
        {ending.map((key) => (
          <List.Item key={key.id}>
            <ObjectLink id={key.id} label={key.name} /> ends <Time at={key.expires_at} />
          </List.Item>
        ))}
        {unused.map((key) => (
          <List.Item key={key.id}>
            <ObjectLink id={key.id} label={key.name} />{' '}
            {key.last_used_at === null ? 'was never used' : 'was last used '}
            {key.last_used_at !== null && <Time at={key.last_used_at} />}
          </List.Item>
        ))}
      </List>
      {!data.isWhole && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the newest {data.items.length} keys were looked at.
        </Text>
      )}
    </>
  );
}

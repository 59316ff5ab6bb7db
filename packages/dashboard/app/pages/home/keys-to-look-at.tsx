import { List, Text } from '@mantine/core';
import type { Key, Page } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Time } from '../../ui/time.tsx';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const UNUSED_DAYS = 30;

/** Keys that end soon, and keys that nobody uses. */
export function KeysToLookAt() {
  const { data, error } = useObject<Page<Key>>('keys', { status: 'active', limit: 100 });
  if (error) return <ErrorMessage error={error} />;
  const ending = data?.data.filter(endsSoon) ?? [];
  const unused = data?.data.filter((key) => isUnused(key) && !endsSoon(key)) ?? [];
  if (data !== undefined && ending.length + unused.length === 0) {
    return <Text size="sm">No key ends soon, and all are used.</Text>;
  }
  return (
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
  );
}

function endsSoon({ expires_at: end }: Key): boolean {
  return end !== null && Date.parse(end) - Date.now() < SOON_DAYS * DAY_MS;
}

function isUnused({ last_used_at: used, created }: Key): boolean {
  return Date.now() - Date.parse(used ?? created) > UNUSED_DAYS * DAY_MS;
}

import { Badge } from '@mantine/core';
import { usePlace } from '../api/place.ts';

/** Says whether the page shows test or live: nobody may mistake one for the other. */
export function EnvironmentBadge() {
  const { environment } = usePlace();
  return environment === 'test' ? (
    <Badge
      color="orange.5"
      c="black"
      variant="filled"
      size="lg"
      radius="sm"
      miw="max-content"
      tt="none"
    >
      Test
    </Badge>
  ) : (
    <Badge
      color="gray"
      variant="outline"
      size="lg"
      radius="sm"
      miw="max-content"
      tt="none"
      c="var(--mantine-color-text)"
    >
      Live
    </Badge>
  );
}

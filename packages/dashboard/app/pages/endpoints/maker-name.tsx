import type { Endpoint } from '../../api/resources.ts';
import { ObjectLink } from '../../ui/object-link.tsx';

/** Who made or changed an endpoint: a link to the key or the platform, or a person. */
export function MakerName({ of }: { of: Endpoint['created_by'] }) {
  if (of === null) return 'unknown';
  if (of.type === 'key' || of.type === 'platform') return <ObjectLink id={of.id} />;
  return `${of.type} ${of.id}`;
}

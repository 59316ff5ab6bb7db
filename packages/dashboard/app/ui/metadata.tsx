import { Facts } from './facts.tsx';
import { Section } from './page.tsx';

/**
 * What the merchant added to an object. It has a section of its own, because a key may have the name
 * of a fact.
 */
export function Metadata({ of }: { of: Readonly<Record<string, string>> }) {
  if (Object.keys(of).length === 0) return null;
  return (
    <Section title="Metadata">
      <Facts of={of} />
    </Section>
  );
}

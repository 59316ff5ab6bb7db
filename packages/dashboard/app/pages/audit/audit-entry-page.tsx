import { SimpleGrid } from '@mantine/core';
import type { AuditEntry } from '../../api/resources.ts';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const PARENT = { page: 'audit', label: 'Audit log' };

export function AuditEntryPage() {
  return (
    <ObjectPage<AuditEntry> title="Entry of the audit log" parent={PARENT}>
      {(entry) => <ShownEntry entry={entry} />}
    </ObjectPage>
  );
}

function ShownEntry({ entry }: { entry: AuditEntry }) {
  return (
    <Page title={entry.action} parent={PARENT}>
      <Facts
        of={{
          ID: entry.id,
          Changed: <ObjectLink id={entry.target} />,
          By: `${entry.actor.type} ${entry.actor.id}`,
          Login: entry.via,
          Time: <Time at={entry.created} exact />,
          'IP address': entry.ip,
          Program: entry.user_agent,
          Request: entry.request_id,
          'Number in the log': entry.seq,
          Hash: <code>{entry.hash}</code>,
        }}
      />
      <Section title="What changed">
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <div>
            <JsonView value={entry.before} label="Before" />
          </div>
          <div>
            <JsonView value={entry.after} label="After" />
          </div>
        </SimpleGrid>
      </Section>
    </Page>
  );
}

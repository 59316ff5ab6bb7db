import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { Key } from '../../api/resources.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ScopeList } from '../../ui/scopes.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { EditAddresses } from './edit-addresses.tsx';
import { KeyUsageChart } from './key-usage-chart.tsx';
import { KEY_TYPES, statusOf } from './key-words.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';

const PARENT = { page: 'keys', label: 'API keys' };
/** How often processes write down which keys were used. */
const USE_COUNTED_MS = 10_000;

export function KeyPage() {
  return (
    <ObjectPage<Key> title="API key" parent={PARENT} every={() => USE_COUNTED_MS}>
      {(key) => <ShownKey apiKey={key} />}
    </ObjectPage>
  );
}

type Dialog = 'rotate' | 'revoke' | 'addresses';

function ShownKey({ apiKey: key }: { apiKey: Key }) {
  const [dialog, setDialog] = useState<Dialog>();
  const mayWrite = useMay('keys.write') && key.status === 'active';
  const mayRevoke = useMay('keys.revoke') && key.status === 'active';
  const close = () => setDialog(undefined);
  return (
    <Page
      title={key.name}
      parent={PARENT}
      badge={<StatusBadge status={statusOf(key)} />}
      actions={
        <>
          {mayWrite && key.replaced_by === null && (
            <Button variant="default" onClick={() => setDialog('rotate')}>
              Rotate
            </Button>
          )}
          {mayRevoke && (
            <Button color="red.8" onClick={() => setDialog('revoke')}>
              Revoke
            </Button>
          )}
        </>
      }
    >
      <Successor apiKey={key} />
      <KeyFacts apiKey={key} />
      {key.public_value !== null && <CodeBlock text={key.public_value} label="Key" mt="md" />}
      <Section title="Requests per day">
        <KeyUsageChart id={key.id} />
      </Section>
      <Section
        title="Allowed addresses"
        actions={
          mayWrite && (
            <Button size="xs" variant="default" onClick={() => setDialog('addresses')}>
              Edit
            </Button>
          )
        }
      >
        {key.allowed_ips?.join(', ') ?? 'It may be used from any address.'}
      </Section>
      <RotateKey apiKey={key} isOpen={dialog === 'rotate'} onClose={close} />
      <RevokeKey apiKey={key} isOpen={dialog === 'revoke'} onClose={close} />
      {dialog === 'addresses' && <EditAddresses apiKey={key} onClose={close} />}
    </Page>
  );
}

/** A key and its successor each name the other. */
function Successor({ apiKey: key }: { apiKey: Key }) {
  if (key.replaced_by === null && key.replaces === null) return null;
  const title = key.replaced_by === null ? 'This key replaces another' : 'This key was rotated';
  return (
    <Alert mb="md" color="blue" title={title}>
      {key.replaced_by !== null && (
        <>
          Its successor is <ObjectLink id={key.replaced_by} />. <HowLong apiKey={key} />{' '}
        </>
      )}
      {key.replaces !== null && (
        <>
          It replaces <ObjectLink id={key.replaces} />.
        </>
      )}
    </Alert>
  );
}

/** Until when a key that has a successor works, or worked. */
function HowLong({ apiKey: key }: { apiKey: Key }) {
  if (key.status === 'revoked') return 'This one was revoked.';
  if (key.expires_at === null) return 'This one works until you revoke it.';
  return (
    <>
      {key.status === 'expired' ? 'This one ended at ' : 'This one works until '}
      <Time at={key.expires_at} exact />.
    </>
  );
}

function KeyFacts({ apiKey: key }: { apiKey: Key }) {
  return (
    <Facts
      of={{
        ID: key.id,
        Key: <code>{key.redacted}</code>,
        Type: KEY_TYPES[key.type],
        'May do': key.scopes && <ScopeList scopes={key.scopes} />,
        'Last used': <Time at={key.last_used_at} />,
        'Last address': key.last_used_ip,
        'Last program': key.last_used_user_agent,
        'Requests in 24 hours': key.requests_24h.toLocaleString('en'),
        Created: <Time at={key.created} exact />,
        'Created by': key.created_by,
        Expires: <Time at={key.expires_at} exact />,
        Revoked: key.revoked_at && <Time at={key.revoked_at} exact />,
        'Reason of revocation': key.revoked_reason,
      }}
    />
  );
}

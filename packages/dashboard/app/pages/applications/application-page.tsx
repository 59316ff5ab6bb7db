import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { ConnectedApplication } from '../../api/resources.ts';
import { useWrite } from '../../api/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page } from '../../ui/page.tsx';
import { sayDone } from '../../ui/say-done.ts';
import { ScopeList } from '../../ui/scopes.tsx';
import { Time } from '../../ui/time.tsx';
import { useGo } from '../../use-go.ts';

const PARENT = { page: 'applications', label: 'Connected applications' };

export function ApplicationPage() {
  return (
    <ObjectPage<ConnectedApplication>
      title="Connected application"
      parent={PARENT}
      path="connected_applications"
    >
      {(application) => <ShownApplication application={application} />}
    </ObjectPage>
  );
}

function ShownApplication({ application }: { application: ConnectedApplication }) {
  const [isOpen, setOpen] = useState(false);
  const mayRevoke = useMay('grants.revoke');
  return (
    <Page
      title={application.name}
      parent={PARENT}
      actions={
        mayRevoke && (
          <Button color="red.8" onClick={() => setOpen(true)}>
            Disconnect
          </Button>
        )
      }
    >
      <Facts
        of={{
          ID: application.id,
          'May do': <ScopeList scopes={application.scopes} />,
          'Last used': <Time at={application.last_used_at} />,
          'Approved by': application.approved_by,
          Approved: <Time at={application.created} exact />,
        }}
      />
      <Disconnect application={application} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

interface DisconnectProps {
  readonly application: ConnectedApplication;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Disconnect({ application, isOpen, onClose }: DisconnectProps) {
  const go = useGo();
  const { mutate, isPending, error } = useWrite(() => {
    sayDone(`${application.name} is disconnected.`);
    go('applications');
  });
  return (
    <ConfirmDialog
      title={`Disconnect ${application.name}?`}
      action="Disconnect"
      isDangerous
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() =>
        mutate({ path: `connected_applications/${application.id}`, method: 'DELETE' })
      }
      isBusy={isPending}
      error={error}
    >
      Within a second it can do nothing for this account any more. To use it again, approve it again
      on its site.
    </ConfirmDialog>
  );
}

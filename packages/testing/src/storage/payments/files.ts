import assert from 'node:assert/strict';
import { newId, type Owner } from '@paymount/core/kernel';
import type { StoredFile } from '@paymount/core/payments';
import { AT } from '../samples.ts';
import type { StorageCases } from '../setup.ts';

function sampleFile(owner: Owner): StoredFile {
  return {
    ...owner,
    id: newId('file'),
    version: 1,
    purpose: 'dispute_evidence',
    filename: 'Quittung 領収書.pdf',
    type: 'pdf',
    size: 4,
    digest: '0'.repeat(64),
    isUsed: false,
    created: AT,
  };
}

export const fileCases: StorageCases = {
  'keeps what is known of a file, for its owner only': async (setup) => {
    const file = sampleFile(setup.owner);
    const { files } = setup.storage.read;
    await setup.apply({ writes: [{ mode: 'insert', kind: 'file', row: file }] });
    assert.deepEqual(await files.find(setup.owner, file.id), file);
    assert.deepEqual(await files.findMany(setup.owner, [file.id, newId('file')]), [file]);
    const { data } = await files.list(setup.owner, { purpose: file.purpose }, { limit: 10 });
    assert.deepEqual(data, [file]);
    for (const stranger of setup.strangers)
      assert.equal(await files.find(stranger, file.id), undefined);
  },
  'counts the files that no evidence has named, of their owner only, up to a limit': async (
    setup,
  ) => {
    const rows = [1, 2, 3, 4].map((size) => ({ ...sampleFile(setup.owner), size }));
    const [first] = rows;
    assert.ok(first);
    await setup.apply({
      writes: rows.map((row) => ({ mode: 'insert', kind: 'file', row }) as const),
    });
    const { files } = setup.storage.read;
    assert.deepEqual(await files.sumUnused(setup.owner, 5), { count: 4, bytes: 10 });
    assert.equal((await files.sumUnused(setup.owner, 3)).count, 3);
    const named = { ...first, version: 2, isUsed: true };
    await setup.apply({ writes: [{ mode: 'update', kind: 'file', row: named }] });
    assert.deepEqual(await files.sumUnused(setup.owner, 4), { count: 3, bytes: 9 });
    for (const stranger of setup.strangers) {
      assert.deepEqual(await files.sumUnused(stranger, 5), { count: 0, bytes: 0 });
    }
  },
  'keeps the bytes of a file, for its owner only, until it is deleted': async (setup) => {
    const key = { ...setup.owner, id: newId('file') };
    const { fileContents } = setup;
    const content = Uint8Array.from([0, 255, 128, 10]);
    assert.equal(await fileContents.get(key), undefined);
    // The second one is a repetition after an answer that was lost.
    await fileContents.put(key, content);
    await fileContents.put(key, content);
    assert.deepEqual([...((await fileContents.get(key)) ?? [])], [0, 255, 128, 10]);
    for (const stranger of setup.strangers)
      assert.equal(await fileContents.get({ ...stranger, id: key.id }), undefined);
    await fileContents.delete(key);
    await fileContents.delete(key);
    assert.equal(await fileContents.get(key), undefined);
  },
  'finds uploads that began before a time, until they end': async (setup) => {
    const upload = { ...setup.owner, id: newId('file') };
    const { fileUploads } = setup;
    await fileUploads.begin(upload, AT);
    const ids = async (time: Date) => {
      const found = await fileUploads.findBefore(time, 1_000);
      return found.filter(({ accountId }) => accountId === upload.accountId);
    };
    assert.deepEqual(await ids(AT), []);
    const found = { ...upload, created: AT };
    assert.deepEqual(await ids(new Date(AT.getTime() + 1)), [found]);
    const next = await fileUploads.findBefore(new Date(AT.getTime() + 1), 1_000, found);
    assert.ok(next.every(({ id }) => id > upload.id));
    await fileUploads.end(upload);
    assert.deepEqual(await ids(new Date(AT.getTime() + 1)), []);
  },
};

import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Batch, type BatchState } from '../../../src/batches/batch.entity.js';
import { newBatch } from '../../../src/batches/batches.js';
import { newId } from '../../../src/platform/database/row-ids.js';
import { DisableModelJob } from '../../../src/trust/models/disable-model-job.js';
import { aaguidBytes } from '../../../src/webauthn/aaguid.js';
import { writeBlob } from '../../../packages/testing/src/blob-writer.js';
import { DELETION, LISTED_KEYS, UPLOAD, postList } from '../../support/list-upload.js';
import { countOf, relyingPartyOf } from '../../support/rows.js';
import { describeWith } from '../../support/needs.js';
import { killedChanges, numberIn } from '../../support/crash/killed-changes.js';

describeWith('MariaDB')('a process that ends during a change of models or lists', () => {
  const { itStores, server, admin, count, events, rows, modelJobs, registered, remove, sendForm } =
    killedChanges();

  const aaguidOf = (name: string) =>
    `00000000-0000-4000-8000-${String(numberIn(name)).padStart(12, '0')}`;
  const aaguids = (name: string, removed: boolean) =>
    countOf(
      server(),
      `aaguids WHERE aaguid = ? AND removed_at ${removed ? '>' : '='} 0`,
      aaguidBytes(aaguidOf(name)),
    );
  const blockedAt = (aaguid: string) =>
    count("relying_parties WHERE domain = 'localhost' AND policy LIKE ?", `%${aaguid}%`);
  /** Uploads a list with one name, and returns its ID. */
  const upload = async (name: string) =>
    String((await postList(admin(), UPLOAD, name)).body['uploadId']);
  const withState = (table: string, state: string, id: string) =>
    countOf(server(), `${table} WHERE state = '${state}' AND id = ?`, Buffer.from(id, 'base64url'));

  itStores('a blocked model', 'blockModel', async (name) => {
    const aaguid = aaguidOf(name);
    return [
      () => admin().post(`/userapi/aaguid/${aaguid}/block`, {}),
      async () => [await blockedAt(aaguid), await rows('relying-party.change', aaguid)],
    ];
  });

  itStores('an unblocked model', 'unblockModel', async (name) => {
    // Other models than above.
    const aaguid = aaguidOf(`${100 + numberIn(name)}`);
    await admin().post(`/userapi/aaguid/${aaguid}/block`, {});
    return [
      () => remove(`/userapi/aaguid/${aaguid}/block`),
      async () => [1 - (await blockedAt(aaguid)), (await rows('relying-party.change', aaguid)) - 1],
    ];
  });

  itStores('a listed model', 'addModel', async (name) => {
    const aaguid = aaguidOf(name);
    return [
      () => admin().post('/userapi/aaguid', { aaguid, name: 'Model' }),
      async () => [await aaguids(name, false), await rows('aaguid.add', aaguid)],
    ];
  });

  itStores('a removed model', 'removeModel', async (name) => {
    const aaguid = aaguidOf(name);
    await admin().post('/userapi/aaguid', { aaguid, name: 'Model' });
    return [
      () => remove(`/userapi/aaguid/${aaguid}`),
      async () => [await aaguids(name, true), await rows('aaguid.remove', aaguid)],
    ];
  });

  itStores('a deleted list', 'deleteList', async (name) => {
    await registered(name);
    const uploadId = await upload(name);
    return [
      () => admin().post(DELETION, { uploadId }),
      async () => {
        // The user is deleted before the list ends.
        expect(await events('user-deleted', name)).toBe(await rows('user.delete', name));
        return [
          await withState('uploads', 'done', uploadId),
          await rows('users.delete-list', uploadId),
        ];
      },
    ];
  });

  itStores('a list whose deletion begins', 'a form', async (name) => {
    await registered(name);
    const uploadId = await upload(name);
    return [
      () => sendForm(`${DELETION}/${uploadId}/start`, { confirm: '1' }),
      async () => [
        await withState('uploads', 'deleting', uploadId),
        await rows('users.delete-list', uploadId),
      ],
    ];
  });

  itStores('a stopped list', 'stopListDeletion', async (name) => {
    const uploadId = await upload(name);
    return [
      () => remove(`${DELETION}/${uploadId}`),
      async () => [
        await withState('uploads', 'stopped', uploadId),
        await rows('users.delete-list.stop', uploadId),
      ],
    ];
  });

  itStores('a list whose keys are disabled', 'a form', async (name) => {
    await registered(name);
    const uploadId = await upload(name);
    return [
      () => sendForm(`${LISTED_KEYS}/${uploadId}/start`, { change: 'disable' }),
      async () => [
        await withState('model_jobs', 'changing', uploadId),
        await rows('users.change-list', uploadId),
      ],
    ];
  });

  itStores('a stopped job', 'stopModelJob', async () => {
    const { aaguid, path } = await storeJob('disabling');
    return [
      () => remove(path),
      async () => [await modelJobs('stopped', aaguid), await rows('model.disable.stop', aaguid)],
    ];
  });

  itStores('a resumed job', 'resumeModelJob', async () => {
    const { aaguid, path } = await storeJob('stopped');
    return [
      () => admin().post(`${path}/resume`, {}),
      async () => [await modelJobs('disabling', aaguid), await rows('model.disable', aaguid)],
    ];
  });

  itStores('the undo of a job', 'undoModelJob', async () => {
    const { aaguid, path } = await storeJob('disabled');
    return [
      () => admin().post(`${path}/undo`, {}),
      async () => [await modelJobs('undoing', aaguid), await rows('model.disable.undo', aaguid)],
    ];
  });

  itStores('uploaded metadata', 'uploadMetadata', async (name) => {
    const no = numberIn(name) + 1;
    const uploads = "audit WHERE action = 'mds.upload' AND result = 'ok'";
    const before = await countOf(server(), uploads);
    return [
      () =>
        admin().send('/userapi/mds', {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: writeBlob({ no, nextUpdate: '2099-01-01', entries: [] }),
        }),
      async () => [
        await countOf(server(), `metadata_sources WHERE no = ${no}`),
        (await countOf(server(), uploads)) - before,
      ],
    ];
  });

  /** Stores a job that disables a model. */
  async function storeJob(state: BatchState) {
    const aaguid = randomUUID();
    const id = newId();
    const caller = JSON.stringify({ account: 'admin' });
    const given = { id, target: aaguidBytes(aaguid), total: 1, caller, reason: null };
    const rp = relyingPartyOf(server(), 'localhost');
    const batch = { ...newBatch(server().get(DisableModelJob), rp, given), state };
    await server().get(DataSource).getRepository(Batch).insert(batch);
    return { aaguid, path: `/userapi/aaguid/${aaguid}/jobs/${id.toString('base64url')}` };
  }
});

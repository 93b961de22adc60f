import { csvOf } from '../../presentation/csv.js';
import type { ChangeAnswer, ListAnswer } from './manage-users.service.js';

const COLUMNS = [
  'username',
  'displayName',
  'relyingParty',
  'createdAt',
  'credentialId',
  'deviceName',
  'authenticatorName',
  'aaguid',
  'registrationDate',
  'lastUsed',
  'enabled',
];

/** A list's page with a line for each credential, or what was changed. */
export function manageUsersCsv(answer: ListAnswer | ChangeAnswer): string {
  return 'affected' in answer ? affectedCsv(answer) : listCsv(answer);
}

function listCsv({ users }: ListAnswer): string {
  const rows = users.flatMap(({ credentials, ...user }) => {
    const person = [user.username, user.displayName, user.relyingParty, user.createdAt ?? ''];
    if (credentials.length === 0) return [[...person, '', '', '', '', '', '', '']];
    return credentials.map((credential) => [
      ...person,
      credential.credentialId,
      credential.deviceName,
      credential.authenticatorName ?? '',
      credential.aaguid,
      credential.registrationDate ?? '',
      credential.lastUsed ?? '',
      credential.enabled ? 'yes' : 'no',
    ]);
  });
  return csvOf(COLUMNS, rows);
}

function affectedCsv({ affected }: ChangeAnswer): string {
  const rows = affected.flatMap(({ username, credentialIds }) =>
    credentialIds.length === 0 ? [[username, '']] : credentialIds.map((id) => [username, id]),
  );
  return csvOf(['username', 'credentialId'], rows);
}

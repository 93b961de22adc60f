import type { StreamableFile } from '@nestjs/common';
import { textFile } from '../../platform/http/text-file.js';
import { csvOf, csvRows } from '../../platform/pages/csv.js';
import type { ChangeAnswer, CredentialView, ListAnswer, UserView } from './manage-users.answer.js';
import { WholeList } from './manage-users.service.js';

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
] as const;

export function manageUsersCsv(
  answer: ListAnswer | WholeList | ChangeAnswer,
): string | StreamableFile {
  if ('affected' in answer) return affectedCsv(answer);
  if (answer instanceof WholeList) return textFile(answer.reader, wholeCsv(answer));
  return csvOf(COLUMNS, rowsOf(answer.users));
}

async function* wholeCsv({ pages }: WholeList): AsyncGenerator<string> {
  yield csvRows([COLUMNS]);
  for await (const users of pages) yield csvRows(rowsOf(users));
}

const rowsOf = (users: readonly UserView[]): string[][] =>
  users.flatMap(({ credentials, ...user }) => {
    const keys: readonly Partial<CredentialView>[] = credentials.length > 0 ? credentials : [{}];
    return keys.map((key) => {
      const row = { ...user, ...key };
      return COLUMNS.map((column) => fieldOf(row[column]));
    });
  });

function fieldOf(value: string | boolean | null | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value ?? '';
}

function affectedCsv({ affected }: ChangeAnswer): string {
  const rows = affected.flatMap(({ username, credentialIds }) =>
    credentialIds.length === 0 ? [[username, '']] : credentialIds.map((id) => [username, id]),
  );
  return csvOf(['username', 'credentialId'], rows);
}

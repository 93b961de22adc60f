import type { AuditNote } from '../../audit/request-rows.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { IssueKeyDto, ListKeysQuery } from '../../tenancy/keys/application-key.dto.js';
import { keyView } from '../../tenancy/keys/application-key.answer.js';
import { ApplicationKeys } from '../../tenancy/keys/application-keys.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import {
  checkedFields,
  commaList,
  printLines,
  showSecret,
  withAdministration,
} from '../application.js';
import { CLI_ACCOUNT, runAudited } from './audit.js';

const WRITTEN = {
  tenant: '<tenant>',
  name: '<name>',
  scopes: '--scopes',
  relyingParties: '--relying-parties',
  expiresAt: '--expires',
};

/** Issues a key and prints its secret, which is never shown again. */
export const addKey = ({ options, words: [tenant = '', name = ''], own }: CommandLine) =>
  withAdministration(options, async (app) => {
    const fields = {
      tenant,
      name,
      scopes: commaList(own.get('scopes')),
      relyingParties: commaList(own.get('relying-parties')),
      expiresAt: own.get('expires'),
    };
    const dto = checkedFields(IssueKeyDto, fields, WRITTEN);
    const entry: AuditNote = { action: 'application-key.issue', tenant, target: name };
    const { secret } = await runAudited(app, entry, (call) =>
      app.get(ApplicationKeys).issue(call, dto),
    );
    showSecret(secret);
  });

export const listKeys = ({ options }: CommandLine) =>
  withAdministration(options, async (app) => {
    const open = app.get(RelyingPartyCache).current;
    const keys = await app.get(ApplicationKeys).list(CLI_ACCOUNT, new ListKeysQuery());
    const lines = keys.map((key) => {
      const { id, tenant, name, prefix, scopes, relyingParties, ...times } = keyView(key, open);
      const { expiresAt, lastUsedAt, suspendedAt } = times;
      const where = relyingParties?.join(' ') ?? '*';
      const when = [expiresAt ?? 'never expires', lastUsedAt ?? 'never used'];
      if (suspendedAt !== null) when.push('suspended');
      return [id, tenant, name, prefix, scopes.join(' '), where, ...when].join('\t');
    });
    printLines(lines, 'application keys');
  });

const change =
  (how: 'revoke' | 'confirm', sentenceOf: (name: string) => string) =>
  ({ options, words: [id = ''] }: CommandLine) =>
    withAdministration(options, async (app) => {
      const entry: AuditNote = { action: `application-key.${how}`, target: id };
      const { name } = await runAudited(app, entry, (call) =>
        app.get(ApplicationKeys)[how](call, id),
      );
      console.log(sentenceOf(name));
    });

/** @throws ApiError E0044R if there is no such key */
export const revokeApplicationKey = change(
  'revoke',
  (name) => `The key ${name} was revoked: it no longer works on any instance.`,
);

/** @throws ApiError E0044R if there is no such key, or it is not suspended */
export const confirmApplicationKey = change('confirm', (name) => `The key ${name} works again.`);

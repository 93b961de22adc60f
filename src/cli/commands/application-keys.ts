import { IssueKeyDto, ListKeysQuery } from '../../tenancy/keys/application-key.dto.js';
import { keyView } from '../../tenancy/keys/application-key.answer.js';
import { ApplicationKeys } from '../../tenancy/keys/application-keys.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { checkedFields, printLines, showSecret, withAdministration } from '../application.js';
import type { Runs } from '../commands.js';
import { CLI_ACCOUNT, runAudited } from '../run-audited.js';

const WRITTEN = {
  tenant: '<tenant>',
  name: '<name>',
  scopes: '--scopes',
  relyingParties: '--relying-parties',
  expiresAt: '--expires',
};

export const keyCommands: Runs<'key'> = {
  /** Issues a key and prints its secret, which is never shown again. */
  'key add': ({ options, tenant, name, scopes, relyingParties, expires }) =>
    withAdministration(options, async (app) => {
      const fields = { tenant, name, scopes, relyingParties, expiresAt: expires };
      const dto = checkedFields(IssueKeyDto, fields, WRITTEN);
      const note = { action: 'application-key.issue', tenant, target: name } as const;
      const { secret } = await runAudited(app, note, (call) =>
        app.get(ApplicationKeys).issue(call, dto),
      );
      showSecret(secret);
    }),

  'key list': ({ options }) =>
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
    }),

  /** @throws ApiError E0044R if there is no such key */
  'key revoke': ({ options, id }) =>
    withAdministration(options, async (app) => {
      const note = { action: 'application-key.revoke', target: id } as const;
      const { name } = await runAudited(app, note, (call) =>
        app.get(ApplicationKeys).revoke(call, id),
      );
      console.log(`The key ${name} was revoked: it no longer works on any instance.`);
    }),

  /** @throws ApiError E0044R if there is no such key, or it is not suspended */
  'key confirm': ({ options, id }) =>
    withAdministration(options, async (app) => {
      const note = { action: 'application-key.confirm', target: id } as const;
      const { name } = await runAudited(app, note, (call) =>
        app.get(ApplicationKeys).confirm(call, id),
      );
      console.log(`The key ${name} works again.`);
    }),
};

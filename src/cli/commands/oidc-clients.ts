import type { INestApplicationContext } from '@nestjs/common';
import type { AuditNote } from '../../audit/audit-trail.js';
import type { ChangingCall } from '../../audit/audited.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { CreateClientDto } from '../../oidc/clients/oidc-client.dto.js';
import { OidcClients } from '../../oidc/clients/oidc-clients.js';
import { IssuerKeys } from '../../oidc/provider/issuer-keys.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { checkedFields, commaList, showSecret, withApplication } from '../application.js';
import { runAudited } from './audit.js';

type Action = (app: INestApplicationContext, rp: RelyingParty) => Promise<void>;

/**
 * Runs an action at the relying party that the first word names.
 *
 * @throws OptionMistakes without `--oidc on`
 * @throws ApiError E0044R if there is no such relying party
 */
function withRelyingParty({ options, words: [domain = ''] }: CommandLine, action: Action) {
  if (!options.oidc)
    throw new OptionMistakes(['this command needs --oidc on, as the server has it']);
  return withApplication(options, async (app) => {
    const rp = app.get(RelyingPartyCache).current.find(domain);
    if (!rp) throw new ApiError('E0044R', 'relyingParty.noDomain', { domain });
    await action(app, rp);
  });
}

/** Makes an audited change at a relying party. */
const change = <T>(
  app: INestApplicationContext,
  rp: RelyingParty,
  note: Pick<AuditNote, 'action' | 'target'>,
  run: (call: ChangingCall) => Promise<T>,
): Promise<T> => runAudited(app, { ...note, tenant: rp.tenant, relyingParty: rp.domain }, run);

/** Adds a client and prints its ID, and its secret, which is never shown again. */
export const addClient = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    const { words, own } = line;
    const [, name = ''] = words;
    const dto = checkedFields(CreateClientDto, {
      name,
      kind: own.get('kind') ?? 'web',
      redirectUris: commaList(own.get('redirect-uris')),
      postLogoutRedirectUris: commaList(own.get('logout-uris')),
      algorithm: own.get('algorithm'),
      groups: own.has('groups') ? own.get('groups') === 'yes' : undefined,
    });
    const note = { action: 'oidc-client.create', target: name } as const;
    const { client, secret } = await change(app, rp, note, (call) =>
      app.get(OidcClients).create(call, rp, dto),
    );
    console.log(client.clientId);
    if (secret !== undefined) showSecret(secret);
  });

export const listClients = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    for (const client of await app.get(OidcClients).list(rp)) {
      const { clientId, name, kind, algorithm, redirectUris } = client;
      console.log([clientId, name, kind, algorithm, redirectUris.join(' ')].join('\t'));
    }
  });

/** @throws ApiError E0044R if there is no such client, E0045R for a public one */
export const rotateClientSecret = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    const [, id = ''] = line.words;
    const note = { action: 'oidc-client.rotate', target: id } as const;
    const { secret } = await change(app, rp, note, (call) =>
      app.get(OidcClients).rotate(call, rp, id),
    );
    showSecret(secret);
  });

/** @throws ApiError E0044R if there is no such client */
export const removeClient = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    const [, id = ''] = line.words;
    const note = { action: 'oidc-client.remove', target: id } as const;
    const { name } = await change(app, rp, note, (call) =>
      app.get(OidcClients).remove(call, rp, id),
    );
    console.log(`The client ${name} was removed: nobody can sign in at it any longer.`);
  });

export const rotateIssuerKeys = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    await change(app, rp, { action: 'oidc-keys.rotate' }, () => app.get(IssuerKeys).rotate(rp));
    console.log('New signing keys were added. They begin to sign in five minutes.');
  });

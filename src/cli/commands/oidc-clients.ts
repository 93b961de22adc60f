import type { INestApplicationContext } from '@nestjs/common';
import type { AuditNote } from '../../audit/request-rows.js';
import type { ChangingCall } from '../../audit/audited.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { CreateClientDto } from '../../issuers/clients/oidc-client.dto.js';
import { OidcClients } from '../../issuers/clients/oidc-clients.js';
import { IssuerKeys } from '../../issuers/issuer-keys.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  checkedFields,
  commaList,
  printLines,
  relyingPartyOf,
  showSecret,
  withApplication,
} from '../application.js';
import { runAudited } from './audit.js';

type Action = (app: INestApplicationContext, rp: RelyingParty) => Promise<void>;

/**
 * Runs an action at the relying party that the first word names.
 *
 * @throws OptionMistakes without `--oidc on` or `--entra on`
 * @throws Error if there is no such relying party
 */
function withRelyingParty({ options, words: [domain = ''] }: CommandLine, action: Action) {
  if (!options.oidc && !options.entra)
    throw new OptionMistakes(['this command needs --oidc on or --entra on, as the server has it']);
  return withApplication(options, async (app) => {
    await action(app, relyingPartyOf(app, domain));
  });
}

/** Makes an audited change at a relying party. */
const change = <T>(
  app: INestApplicationContext,
  rp: RelyingParty,
  note: Pick<AuditNote, 'action' | 'target'>,
  run: (call: ChangingCall) => Promise<T>,
): Promise<T> => runAudited(app, { ...note, tenant: rp.tenant, relyingParty: rp.domain }, run);

const WRITTEN = {
  name: '<name>',
  kind: '--kind',
  redirectUris: '--redirect-uris',
  postLogoutRedirectUris: '--logout-uris',
  algorithm: '--algorithm',
  tenantId: '--tenant-id',
  appId: '--app-id',
  userClaim: '--user-claim',
};

/** @throws OptionMistakes for another word */
function yesOrNo(flag: string, word: string | undefined): boolean | undefined {
  if (word === undefined) return undefined;
  if (word === 'yes' || word === 'no') return word === 'yes';
  throw new OptionMistakes([`${flag}: must be yes or no`]);
}

/** Adds a client and prints its ID, and its secret, which is never shown again. */
export const addClient = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    const { words, own } = line;
    const [, name = ''] = words;
    const fields = {
      name,
      kind: own.get('kind') ?? 'web',
      redirectUris: commaList(own.get('redirect-uris')),
      postLogoutRedirectUris: commaList(own.get('logout-uris')),
      algorithm: own.get('algorithm'),
      groups: yesOrNo('--groups', own.get('groups')),
      tenantId: own.get('tenant-id'),
      appId: own.get('app-id'),
      userClaim: own.get('user-claim'),
    };
    const dto = checkedFields(CreateClientDto, fields, WRITTEN);
    const note = { action: 'oidc-client.create', target: name } as const;
    const { client, secret } = await change(app, rp, note, (call) =>
      app.get(OidcClients).create(call, rp, dto),
    );
    console.log(client.clientId);
    if (secret !== undefined) showSecret(secret);
  });

export const listClients = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    const lines = (await app.get(OidcClients).list(rp)).map((client) => {
      const { clientId, name, kind, algorithm, redirectUris, entra } = client;
      const places = entra ? [entra.tenantId, entra.appId, entra.userClaim] : redirectUris;
      return [clientId, name, kind, algorithm, places.join(' ')].join('\t');
    });
    printLines(lines, 'clients');
  });

/** @throws ApiError E0044R if there is no such client, E0045R for one without a secret */
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

/** @throws ApiError E0044R if the relying party never had a client */
export const rotateIssuerKeys = (line: CommandLine) =>
  withRelyingParty(line, async (app, rp) => {
    const revoke = line.own.has('revoke');
    await change(app, rp, { action: 'oidc-keys.rotate' }, (call) =>
      app.get(IssuerKeys).rotate(call, rp, { revoke }),
    );
    console.log(
      revoke
        ? 'New signing keys replace all former ones. Running servers take them within 10 seconds.'
        : 'New signing keys were added. They begin to sign in five minutes, for Entra ID in two days.',
    );
  });

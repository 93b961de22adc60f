import type { INestApplicationContext } from '@nestjs/common';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { CreateClientDto } from '../../issuers/clients/oidc-client.dto.js';
import { OidcClients } from '../../issuers/clients/oidc-clients.js';
import { IssuerKeys } from '../../issuers/issuer-keys.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  checkedFields,
  printLines,
  relyingPartyOf,
  showSecret,
  withApplication,
} from '../application.js';
import type { Runs } from '../commands.js';
import { runAudited } from '../run-audited.js';

interface AtRelyingParty {
  readonly options: ServerOptions;
  readonly domain: string;
}

type Action = (app: INestApplicationContext, rp: RelyingParty) => Promise<void>;

/**
 * Runs an action at the relying party that the command names.
 *
 * @throws OptionMistakes without `--oidc on` or `--entra on`
 * @throws Error if there is no such relying party
 */
function withRelyingParty({ options, domain }: AtRelyingParty, action: Action) {
  if (!options.oidc && !options.entra)
    throw new OptionMistakes(['this command needs --oidc on or --entra on, as the server has it']);
  return withApplication(options, (app) => action(app, relyingPartyOf(app, domain)));
}

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

export const clientCommands: Runs<'client'> = {
  /** Adds a client and prints its ID, and its secret, which is never shown again. */
  'client add': async ({ options, domain, kind = 'web', groups, logoutUris, ...members }) =>
    withRelyingParty({ options, domain }, async (app, rp) => {
      const fields = {
        ...members,
        kind,
        postLogoutRedirectUris: logoutUris,
        groups: yesOrNo('--groups', groups),
      };
      const dto = checkedFields(CreateClientDto, fields, WRITTEN);
      const note = { action: 'oidc-client.create', at: rp, target: members.name } as const;
      const { client, secret } = await runAudited(app, note, (call) =>
        app.get(OidcClients).create(call, rp, dto),
      );
      console.log(client.clientId);
      if (secret !== undefined) showSecret(secret);
    }),

  'client list': async (input) =>
    withRelyingParty(input, async (app, rp) => {
      const lines = (await app.get(OidcClients).list(rp)).map((client) => {
        const { clientId, name, kind, algorithm, redirectUris, entra } = client;
        const places = entra ? [entra.tenantId, entra.appId, entra.userClaim] : redirectUris;
        return [clientId, name, kind, algorithm, places.join(' ')].join('\t');
      });
      printLines(lines, 'clients');
    }),

  /** @throws ApiError E0044R if there is no such client, E0045R for one without a secret */
  'client secret': async ({ id, ...input }) =>
    withRelyingParty(input, async (app, rp) => {
      const note = { action: 'oidc-client.rotate', at: rp, target: id } as const;
      const { secret } = await runAudited(app, note, (call) =>
        app.get(OidcClients).rotate(call, rp, id),
      );
      showSecret(secret);
    }),

  /** @throws ApiError E0044R if there is no such client */
  'client remove': async ({ id, ...input }) =>
    withRelyingParty(input, async (app, rp) => {
      const note = { action: 'oidc-client.remove', at: rp, target: id } as const;
      const { name } = await runAudited(app, note, (call) =>
        app.get(OidcClients).remove(call, rp, id),
      );
      console.log(`The client ${name} was removed: nobody can sign in at it any longer.`);
    }),

  /** @throws ApiError E0044R if the relying party never had a client */
  'client rotate-keys': async ({ revoke, ...input }) =>
    withRelyingParty(input, async (app, rp) => {
      await runAudited(app, { action: 'oidc-keys.rotate', at: rp }, (call) =>
        app.get(IssuerKeys).rotate(call, rp, { revoke }),
      );
      console.log(
        revoke
          ? 'New signing keys replace all former ones. Running servers take them within 10 seconds.'
          : 'New signing keys were added. They begin to sign in five minutes, for Entra ID in two days.',
      );
    }),
};

import {
  Body,
  Controller,
  Delete,
  Get,
  Inject,
  Param,
  Patch,
  Post,
  UseGuards,
} from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { FreshSignInGuard } from '../../platform/access/fresh-sign-in.guard.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { OkAnswer, ok } from '../../platform/http/ok.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { IfMatch, type ExpectedTags } from '../../platform/http/versions.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { VisibleTenantGuard } from '../../tenancy/scope/visible-tenants.js';
import { IssuerKeys } from '../issuer-keys.js';
import {
  ClientAnswer,
  ClientListAnswer,
  ClientSecretAnswer,
  clientView,
} from './oidc-client.answer.js';
import { ChangeClientDto, CreateClientDto, RotateKeysDto } from './oidc-client.dto.js';
import type { OidcClient } from './oidc-client.entity.js';
import { OidcClients, type ClientsAddress } from './oidc-clients.js';

const TENANT = { example: 'acme', description: 'short name of the tenant' };
const DOMAIN = { example: 'example.com', description: 'domain of the relying party' };
const CLIENT = { example: 'Zk3Cq0mN1rUe4uXb8yT2Pg', description: '`client_id` of the client' };

type ClientAddress = ClientsAddress & { readonly client: string };

/** The applications that sign their users in by OpenID Connect, and the tenants of Entra ID, for administrators. */
@ForAudience('administrator', { tenant: TENANT, domain: DOMAIN, client: CLIENT })
@UseGuards(JsonGuard, VisibleTenantGuard)
@Allow('clients:change')
@Controller('tenantapi/tenants/:tenant/relying-parties/:domain/clients')
export class OidcClientsController {
  constructor(
    private readonly clients: OidcClients,
    private readonly keys: IssuerKeys,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  @Get()
  @AllowHere('clients:read')
  @Operation('listClients', 'Lists the clients of a relying party', {
    answers: ClientListAnswer,
    refuses: ['E0044R'],
  })
  async list(@Param() address: ClientsAddress, @CurrentAccount() account: Account) {
    const rp = this.clients.relyingParty(account, address);
    const clients = await this.clients.list(rp);
    return ok({ clients: clients.map((client) => clientView(this.options, rp.domain, client)) });
  }

  @Post()
  @Audited(({ body }) => ({ action: 'oidc-client.create', target: body?.name }), {
    guards: [FreshSignInGuard],
    exactNames: true,
  })
  @Operation('createClient', 'Adds a client; its secret is shown only once', {
    answers: ClientSecretAnswer,
    versionOf: ({ client }) => client.version,
    refuses: ['E0044R', 'E0045R'],
  })
  async create(
    @Param() address: ClientsAddress,
    @Body(DtoPipe) dto: CreateClientDto,
    @CurrentCall() call: AuditedCall,
  ) {
    const rp = this.clients.relyingParty(call.account, address);
    const { client, secret } = await this.clients.create(call, rp, dto);
    return {
      ...this.answerOf(address, client),
      ...(secret !== undefined && { secret }),
    };
  }

  @Post('rotate-keys')
  @Audited('oidc-keys.rotate', { guards: [FreshSignInGuard], exactNames: true })
  @Operation('rotateIssuerKeys', 'Adds signing keys of the issuers, or replaces stolen ones', {
    answers: OkAnswer,
    refuses: ['E0044R'],
  })
  async rotateKeys(
    @Param() address: ClientsAddress,
    @Body(DtoPipe) { revoke }: RotateKeysDto,
    @CurrentCall() call: AuditedCall,
  ) {
    const rp = this.clients.relyingParty(call.account, address);
    await this.keys.rotate(call, rp, { revoke });
    return ok({});
  }

  @Get(':client')
  @AllowHere('clients:read')
  @Operation('readClient', 'Shows a client', {
    answers: ClientAnswer,
    versionOf: ({ client }) => client.version,
    refuses: ['E0044R'],
  })
  async read(@Param() address: ClientAddress, @CurrentAccount() account: Account) {
    const rp = this.clients.relyingParty(account, address);
    return this.answerOf(address, await this.clients.find(rp, address.client));
  }

  @Patch(':client')
  @Audited(({ params }) => ({ action: 'oidc-client.change', target: String(params['client']) }), {
    guards: [FreshSignInGuard],
  })
  @Operation('changeClient', 'Changes a client', {
    answers: ClientAnswer,
    versionOf: ({ client }) => client.version,
    refuses: ['E0044R', 'E0045R', 'E0053R'],
    sends: { name: 'Grafana' },
  })
  async change(
    @Param() address: ClientAddress,
    @Body(DtoPipe) dto: ChangeClientDto,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    const rp = this.clients.relyingParty(call.account, address);
    const found = { rp, clientId: address.client };
    return this.answerOf(address, await this.clients.change(call, found, dto, expected));
  }

  @Delete(':client')
  @Audited(({ params }) => ({ action: 'oidc-client.remove', target: String(params['client']) }))
  @Operation('removeClient', 'Deletes a client: nobody can sign in at it any longer', {
    answers: ClientAnswer,
    refuses: ['E0044R', 'E0053R'],
  })
  async remove(
    @Param() address: ClientAddress,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    const rp = this.clients.relyingParty(call.account, address);
    return this.answerOf(address, await this.clients.remove(call, rp, address.client, expected));
  }

  @Post(':client/secret')
  @Audited(({ params }) => ({ action: 'oidc-client.rotate', target: String(params['client']) }), {
    guards: [FreshSignInGuard],
  })
  @Operation('rotateClientSecret', 'Replaces the secret of a client at once', {
    answers: ClientSecretAnswer,
    refuses: ['E0044R', 'E0045R'],
  })
  async rotate(@Param() address: ClientAddress, @CurrentCall() call: AuditedCall) {
    const rp = this.clients.relyingParty(call.account, address);
    const { client, secret } = await this.clients.rotate(call, rp, address.client);
    return { ...this.answerOf(address, client), secret };
  }

  private answerOf({ domain }: ClientsAddress, client: OidcClient) {
    return ok({ client: clientView(this.options, domain, client) });
  }
}

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
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { FreshSignInGuard } from '../../platform/access/fresh-sign-in.guard.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { OkAnswer, ok } from '../../platform/http/ok.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { IfMatch, type ExpectedTags } from '../../platform/http/versions.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { PathRelyingParty } from '../../tenancy/scope/path-relying-party.js';
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
import { OidcClients } from './oidc-clients.js';

const TENANT = { example: 'acme', description: 'short name of the tenant' };
const DOMAIN = { example: 'example.com', description: 'domain of the relying party' };
const CLIENT = { example: 'Zk3Cq0mN1rUe4uXb8yT2Pg', description: '`client_id` of the client' };

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
  })
  async list(@PathRelyingParty() rp: RelyingParty) {
    const clients = await this.clients.list(rp);
    return ok({ clients: clients.map((client) => clientView(this.options, rp.domain, client)) });
  }

  @Post()
  @Audited(({ body }) => ({ action: 'oidc-client.create', target: body?.name }), {
    guards: [FreshSignInGuard],
  })
  @Operation('createClient', 'Adds a client; its secret is shown only once', {
    answers: ClientSecretAnswer,
    refusesMisspeltNames: true,
    versionOf: ({ client }) => client.version,
    refuses: ['E0045R'],
  })
  async create(
    @PathRelyingParty() rp: RelyingParty,
    @Body(DtoPipe) dto: CreateClientDto,
    @CurrentCall() call: AuditedCall,
  ) {
    const { client, secret } = await this.clients.create(call, rp, dto);
    return {
      ...this.answerOf(rp, client),
      ...(secret !== undefined && { secret }),
    };
  }

  @Post('rotate-keys')
  @Audited('oidc-keys.rotate', { guards: [FreshSignInGuard] })
  @Operation('rotateIssuerKeys', 'Adds signing keys of the issuers, or replaces stolen ones', {
    answers: OkAnswer,
    refusesMisspeltNames: true,
    refuses: ['E0045R'],
  })
  async rotateKeys(
    @PathRelyingParty() rp: RelyingParty,
    @Body(DtoPipe) { revoke }: RotateKeysDto,
    @CurrentCall() call: AuditedCall,
  ) {
    await this.keys.rotate(call, rp, { revoke });
    return ok({});
  }

  @Get(':client')
  @AllowHere('clients:read')
  @Operation('readClient', 'Shows a client', {
    answers: ClientAnswer,
    versionOf: ({ client }) => client.version,
  })
  async read(@PathRelyingParty() rp: RelyingParty, @Param('client') clientId: string) {
    return this.answerOf(rp, await this.clients.find(rp, clientId));
  }

  @Patch(':client')
  @Audited('oidc-client.change', { target: 'client', guards: [FreshSignInGuard] })
  @Operation('changeClient', 'Changes a client', {
    answers: ClientAnswer,
    versionOf: ({ client }) => client.version,
    refuses: ['E0045R', 'E0053R'],
    sends: { name: 'Grafana' },
  })
  async change(
    @PathRelyingParty() rp: RelyingParty,
    @Param('client') clientId: string,
    @Body(DtoPipe) dto: ChangeClientDto,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.answerOf(rp, await this.clients.change(call, { rp, clientId }, dto, expected));
  }

  @Delete(':client')
  @Audited('oidc-client.remove', { target: 'client' })
  @Operation('removeClient', 'Deletes a client: nobody can sign in at it any longer', {
    answers: ClientAnswer,
    refuses: ['E0053R'],
  })
  async remove(
    @PathRelyingParty() rp: RelyingParty,
    @Param('client') clientId: string,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.answerOf(rp, await this.clients.remove(call, rp, clientId, expected));
  }

  @Post(':client/secret')
  @Audited('oidc-client.rotate', { target: 'client', guards: [FreshSignInGuard] })
  @Operation('rotateClientSecret', 'Replaces the secret of a client at once', {
    answers: ClientSecretAnswer,
    refuses: ['E0045R'],
  })
  async rotate(
    @PathRelyingParty() rp: RelyingParty,
    @Param('client') clientId: string,
    @CurrentCall() call: AuditedCall,
  ) {
    const { client, secret } = await this.clients.rotate(call, rp, clientId);
    return { ...this.answerOf(rp, client), secret };
  }

  private answerOf({ domain }: RelyingParty, client: OidcClient) {
    return ok({ client: clientView(this.options, domain, client) });
  }
}

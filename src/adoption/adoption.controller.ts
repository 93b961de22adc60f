import { Controller, Get, Query } from '@nestjs/common';
import { ok } from '../platform/http/ok.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { Allow, OpenToKeys } from '../platform/access/allow.js';
import { CurrentScope, NamedRelyingParty, Scoped } from '../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ApiExcludeController, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { Page } from '../platform/pages/page.interceptor.js';
import { CurrentAccount } from '../platform/access/accounts/account.js';
import type { Account } from '../platform/access/accounts/account.js';
import { TenantDirectory } from '../tenancy/scope/tenant-directory.js';
import { visibleTo } from '../tenancy/scope/visible-tenants.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { code } from '../platform/validation/rule.js';
import { Moves } from '../users/moves/moves.js';
import { AdoptionReader } from './adoption-reader.js';
import { AdoptionAnswer } from './adoption.answer.js';
import { adoptionPage } from './adoption.view.js';
import { overviewPage } from './overview.view.js';
import { UserReader } from './user-reader.js';
import type { AdoptionPageView } from './adoption.view.js';

/** Parameters of GET /userapi/adoption. */
class AdoptionQuery {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;
}

/** Parameters of the page. */
class AdoptionPageQuery {
  @MayBeText(code('E0045R'))
  rp?: string;
}

/** Figures on how a relying party's people take to their keys. */
@ForReader('administrator')
@Scoped()
@Allow('adoption:read')
@OpenToKeys()
@Controller('userapi/adoption')
export class AdoptionController {
  constructor(
    private readonly named: NamedRelyingParty,
    private readonly reader: AdoptionReader,
  ) {}

  @Get()
  @Operation('getAdoption', 'How people take to their keys, and how far a move has come', {
    answers: AdoptionAnswer,
    refuses: ['E0025R', 'E0026R'],
  })
  async adoption(
    @Query(DtoPipe) query: AdoptionQuery,
    @CurrentScope() scope: AdminScope,
  ): Promise<AdoptionAnswer> {
    const rp = this.named.find(query.relyingParty, scope);
    return ok(await this.reader.read(rp));
  }
}

/** The page of the figures on adoption: of all relying parties, or of the one that the address names. */
@ApiExcludeController()
@Allow('adoption:read')
@Controller('adoption')
export class AdoptionPageController {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly reader: AdoptionReader,
    private readonly users: UserReader,
    private readonly moves: Moves,
  ) {}

  /** @throws ApiError E0044R for a relying party that the account may not see */
  @Get()
  @Page('adoption')
  async show(
    @Query(DtoPipe) { rp: domain }: AdoptionPageQuery,
    @CurrentAccount() account: Account,
  ): Promise<AdoptionPageView> {
    const visible = visibleTo(account, this.directory.current).relyingParties.toSorted((a, b) =>
      a.domain < b.domain ? -1 : 1,
    );
    const named = domain !== undefined && domain !== '';
    if (!named && visible.length > 1) return overviewPage(await this.users.readAll(visible));
    const rp = named ? visible.find((one) => one.domain === domain) : visible[0];
    if (!rp && named) throw new ApiError('E0044R', 'relyingParty.unknown');
    const choices = visible.map((one) => ({ domain: one.domain, selected: one === rp }));
    if (!rp) return adoptionPage(undefined, choices, undefined);
    return adoptionPage(await this.reader.read(rp), choices, await this.moves.shown(rp.domain));
  }
}

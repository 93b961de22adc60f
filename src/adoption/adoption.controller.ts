import { Controller, Get, Query } from '@nestjs/common';
import { ok } from '../platform/http/ok.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { Allow, OpenToKeys } from '../platform/access/allow.js';
import { CurrentScope, NamedRelyingParty, Scoped } from '../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { code } from '../platform/validation/rule.js';
import { AdoptionReader } from './adoption-reader.js';
import { AdoptionAnswer } from './adoption.answer.js';

/** Parameters of GET /userapi/adoption. */
class AdoptionQuery {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;
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

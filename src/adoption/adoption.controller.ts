import { Controller, Get, Query } from '@nestjs/common';
import { ok } from '../platform/http/ok.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { Allow, OpenToKeys } from '../platform/access/allow.js';
import { NamedRelyingParty } from '../tenancy/scope/named-relying-party.js';
import { CurrentScope, Scoped } from '../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { AdoptionReader } from './adoption-reader.js';
import { AdoptionAnswer } from './adoption.answer.js';
import { AdoptionQuery } from './adoption.query.js';

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

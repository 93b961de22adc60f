import { Controller, Get, Headers, Inject, Query, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { UnknownNamesInterceptor } from '../platform/access/unknown-names.interceptor.js';
import { PRODUCT_VERSION } from '../platform/project.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { Database } from '../platform/database/database.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ok } from '../platform/http/ok.js';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { resolveRelyingParty } from '../tenancy/scope/relying-party-finder.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { originAllowed } from '../webauthn/origin.js';
import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { TestAnswer, TestDatabaseAnswer } from './health.answer.js';

/** Parameters of GET /fidoapi/test. */
class TestQuery {
  @ApiPropertyOptional({
    example: 'localhost',
    description:
      'domain of the relying party for `originListed`; a query parameter avoids a preflight',
  })
  @MayBeText()
  relyingParty?: string;
}

/** The interface's own checks of the FIDO API. Nothing here is secret. */
@ForAudience('operator')
@UseInterceptors(UnknownNamesInterceptor)
@Controller('fidoapi')
export class TestController {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Get('test')
  @Operation('testApi', 'Reports whether the FIDO API is reachable and how it is configured', {
    description: 'Needs no account, and shows nothing secret.',
    answers: TestAnswer,
    allowsUnknownNames: true,
  })
  test(
    @Query(DtoPipe) { relyingParty }: TestQuery,
    @Headers('origin') origin: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const originListed = origin === undefined ? undefined : this.lists(origin, relyingParty);
    if (originListed === false) {
      // A page that may read nothing else learns the reason, and nothing about the server.
      response.removeHeader('Access-Control-Allow-Credentials');
      response.setHeader('Access-Control-Allow-Origin', '*');
      return ok({ originListed });
    }
    const { verify, attestation, aaguid, jwt, registration, session, mds } = this.options;
    return ok({
      version: PRODUCT_VERSION,
      features: { verify, attestation, aaguid, jwt, registration, session, mds: mds.length > 0 },
      ...(originListed && { originListed }),
    });
  }

  /** Whether the relying party of a call from this origin lists the origin; an unknown one lists none. */
  private lists(origin: string, relyingParty: string | undefined): boolean {
    const hints = { header: relyingParty, domain: this.options.domain, origin };
    try {
      const { origins } = resolveRelyingParty(hints, this.relyingParties.current, false);
      return originAllowed(origin, origins);
    } catch {
      return false;
    }
  }

  @Get('testdb')
  @Operation('testDatabase', 'Reports whether the database responds', {
    description: 'Needs no account. Answers 503 if the database does not respond.',
    answers: TestDatabaseAnswer,
    allowsUnknownNames: true,
  })
  async testDatabase() {
    const began = performance.now();
    try {
      await this.database.ping();
    } catch (error) {
      const headers = { 'Retry-After': '1' };
      throw new ApiError('E0052R', 'database.unavailable', {}, { headers, cause: error });
    }
    const latencyMs = Math.round((performance.now() - began) * 100) / 100;
    return ok({ database: this.database.kind, latencyMs });
  }
}

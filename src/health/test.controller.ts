import { Controller, Get, Inject } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { VERSION } from '../platform/project.js';
import { serverOptions } from '../platform/config/server-config.js';
import { Database } from '../platform/database/database.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ok } from '../platform/http/ok.js';
import { ForReader, Operation } from '../platform/http/openapi/operation.js';
import { TestAnswer, TestDatabaseAnswer } from './health.answer.js';

/** The interface's own checks of the FIDO API. Nothing here is secret. */
@ForReader('operator')
@Controller('fidoapi')
export class TestController {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly database: Database,
  ) {}

  @Get('test')
  @Operation('testApi', 'Whether the FIDO API is there, and how it is configured', {
    answers: TestAnswer,
  })
  test() {
    const { verify, attestation, aaguid, jwt, registration, session, mds } = this.options;
    return ok({
      version: VERSION,
      features: { verify, attestation, aaguid, jwt, registration, session, mds: mds.length > 0 },
    });
  }

  @Get('testdb')
  @Operation('testDatabase', 'Whether the database answers', { answers: TestDatabaseAnswer })
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

import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditLog } from './audit-log.js';
import { AuditReader } from './audit-reader.js';
import { AuditTrail } from './audit-trail.js';
import { AuditVerifier } from './audit-verifier.js';
import { AuditController } from './audit.controller.js';
import { AuditEntity } from './audit.entity.js';
import { AuditGuard } from './audited.js';

/** The trail of what was changed in the administration. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditEntity])],
  controllers: [AuditController],
  providers: [
    AuditLog,
    AuditReader,
    AuditTrail,
    AuditVerifier,
    { provide: APP_GUARD, useClass: AuditGuard },
  ],
  exports: [AuditLog, AuditReader, AuditTrail, AuditVerifier],
})
export class AuditModule {}

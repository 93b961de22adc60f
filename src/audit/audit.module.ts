import { Global, Logger, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { isOpenToOthers, readAuditKey } from '../platform/config/files/key-files.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { AuditErasure } from './erasure/audit-erasure.js';
import { AuditHead, AuditKey } from './chain/audit-head.js';
import { AuditTrail } from './audit-trail.js';
import { AccountActivity } from './account-activity.js';
import { AuditReader } from './audit-reader.js';
import { AuditSealing } from './chain/audit-sealing.js';
import { ForwardAudit } from './forward-audit.js';
import { AuditVerifier } from './chain/audit-verifier.js';
import { AuditRow } from './audit-row.entity.js';
import { AuditGuard } from './audited.js';

/** Reads the key that seals the trail; `null` if it is not sealed. */
function openKey(options: ServerOptions): AuditKey | null {
  const { auditKeyFile } = options;
  const secret = readAuditKey(options);
  if (secret === undefined || auditKeyFile === undefined) return null;
  if (isOpenToOthers(auditKeyFile)) {
    const advice = 'it should be its owner’s alone (chmod 600)';
    Logger.warn(`--audit-key-file: others may read ${auditKeyFile}; ${advice}.`, 'Audit');
  }
  return new AuditKey(secret);
}

/** The audit trail of the administration. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditRow])],
  providers: [
    { provide: AuditKey, inject: [serverOptions.KEY], useFactory: openKey },
    AccountActivity,
    AuditErasure,
    AuditHead,
    AuditTrail,
    AuditReader,
    AuditSealing,
    AuditVerifier,
    ForwardAudit,
    { provide: APP_GUARD, useClass: AuditGuard },
  ],
  exports: [
    AccountActivity,
    AuditErasure,
    AuditTrail,
    AuditReader,
    AuditSealing,
    AuditVerifier,
    ForwardAudit,
  ],
})
export class AuditModule {}

import { Controller, Get, Query } from '@nestjs/common';
import { ok } from '../http/ok.js';
import { ApiOperation, ApiQuery, ApiTags } from '../http/openapi.js';
import { Represent } from '../presentation/represent.js';
import type { Account } from '../security/account.js';
import { CurrentAccount } from '../security/account.js';
import { Allow } from '../security/allow.js';
import { auditParameters, auditQuery } from './audit-query.js';
import { AuditReader } from './audit-reader.js';
import { auditCsv, auditPage, auditView } from './audit.view.js';
import type { AuditAnswer } from './audit.view.js';

const text = { required: false, type: String } as const;

/** Who changed what, when, and with which result. */
@ApiTags('audit')
@Allow('audit:read')
@Controller('userapi/audit')
export class AuditController {
  constructor(private readonly reader: AuditReader) {}

  @Get()
  @Represent<AuditAnswer>({
    html: ['audit', (answer, { query }) => auditPage(answer, auditParameters(query))],
    csv: ['audit', auditCsv],
  })
  @ApiOperation({ summary: 'Searches the audit trail, newest first' })
  @ApiQuery({ ...text, name: 'account' })
  @ApiQuery({ ...text, name: 'action', example: 'tenant.remove' })
  @ApiQuery({ ...text, name: 'target', description: 'what the target begins with' })
  @ApiQuery({ ...text, name: 'result', enum: ['ok', 'refused'] })
  @ApiQuery({ ...text, name: 'from', description: 'day (UTC), YYYY-MM-DD' })
  @ApiQuery({ ...text, name: 'to', description: 'day (UTC), YYYY-MM-DD, included' })
  @ApiQuery({ ...text, name: 'limit', description: '1 to 1000; default 100' })
  @ApiQuery({ ...text, name: 'cursor', description: '"next" of the page before' })
  async search(
    @CurrentAccount() account: Account,
    @Query() query: Record<string, unknown>,
  ): Promise<AuditAnswer> {
    const page = await this.reader.find(account, auditQuery(auditParameters(query)));
    return ok(auditView(page));
  }
}

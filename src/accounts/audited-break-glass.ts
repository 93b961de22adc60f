import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import type { Repository } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { ACCOUNTS_OF_ACTION } from '../audit/audit.statements.js';
import { callerFields } from '../audit/request-rows.js';
import type { Account } from '../platform/access/accounts/account.js';
import { BreakGlass } from '../platform/access/accounts/break-glass.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { Database } from '../platform/database/database.js';
import { ConsoleAccount } from './console-account.entity.js';

const ACTION = 'break-glass';

/** Sign-ins of accounts for emergencies: a row of the audit trail each. */
@Injectable()
export class AuditedBreakGlass extends BreakGlass {
  constructor(
    @InjectRepository(ConsoleAccount) private readonly rows: Repository<ConsoleAccount>,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly trail: AuditTrail,
  ) {
    super();
  }

  async record(
    account: Account,
    request: Pick<Request, 'ip' | 'requestId'>,
    way: string,
  ): Promise<void> {
    if (!this.isOn) return;
    const caller = callerFields(request, account);
    await this.trail.append({ ...caller, action: ACTION, result: 'ok', detail: { way } });
  }

  async signedInSince(at: number): Promise<string[]> {
    const rows = await this.database.query(ACCOUNTS_OF_ACTION, { action: ACTION, at });
    return rows.map(({ account }) => account.toString('utf8'));
  }

  async isMissing(): Promise<boolean> {
    return this.isOn && !(await this.rows.existsBy({ breakGlass: true }));
  }

  private get isOn(): boolean {
    return this.options.consoleLocal === 'break-glass';
  }
}

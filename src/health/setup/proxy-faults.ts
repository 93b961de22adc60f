import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { accountOf } from '../../platform/access/accounts/account.js';
import { plainAddress, wideAddressGroup } from '../../platform/common/network/address-group.js';
import { isPublicAddress } from '../../platform/common/network/public-address.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import type { Problem } from '../../platform/errors/reasons.js';
import { titleOf, urgentFinding, type SetupFinding } from './setup-finding.js';

const FINDINGS = { 'proxy.protocol': 'proxy-protocol', 'proxy.host': 'proxy-host' } as const;
type ProxyFault = keyof typeof FINDINGS;

const isProxyFault = (reason: string): reason is ProxyFault => Object.hasOwn(FINDINGS, reason);

/** An origin as browsers write it. Other callers may send any text, which would stand on the page. */
const ORIGIN = /^https?:\/\/[\w.-]{1,253}(?::\d{1,5})?$/;

/** Callers without an account who must report a fault before it counts, since one could make it up. */
const SEVERAL = 3;

/**
 * What refused calls have proved about the proxy in front of this process since its start, until the next one: the
 * remedy is an option, which needs a restart, or a setting of the proxy.
 */
@Injectable()
export class ProxyFaults {
  private readonly found = new Map<ProxyFault, SetupFinding>();
  private readonly callers: Readonly<Record<ProxyFault, Set<string>>> = {
    'proxy.protocol': new Set(),
    'proxy.host': new Set(),
  };

  constructor(@Inject(serverOptions.KEY) private readonly options: ServerOptions) {}

  /** Adds a fault that an account or several other callers have reported, and logs it. */
  add(request: Request, { reason }: Problem): void {
    const { origin = '' } = request.headers;
    if (!isProxyFault(reason) || this.found.has(reason) || !ORIGIN.test(origin)) return;
    if (!accountOf(request) && !this.isReportedBySeveral(reason, request)) return;
    const finding = urgentFinding(FINDINGS[reason], { origin });
    this.found.set(reason, finding);
    Logger.warn(titleOf(finding), 'Setup');
  }

  /**
   * Without a trusted proxy, all callers have the address of the proxy, which is a private one: then calls count, and
   * those from public addresses do not, as they have passed no proxy.
   */
  private isReportedBySeveral(fault: ProxyFault, { ip = '', requestId }: Request): boolean {
    const callers = this.callers[fault];
    if (this.options.trustProxy > 0) callers.add(wideAddressGroup(ip));
    else if (!isPublicAddress(plainAddress(ip))) callers.add(requestId);
    return callers.size >= SEVERAL;
  }

  findings(): readonly SetupFinding[] {
    return [...this.found.values()];
  }
}

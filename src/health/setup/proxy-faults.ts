import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import type { Problem } from '../../platform/errors/reasons.js';
import { titleOf, urgentFinding, type SetupFinding } from './setup-finding.js';

const FINDINGS = { 'proxy.protocol': 'proxy-protocol', 'proxy.host': 'proxy-host' } as const;
type ProxyFault = keyof typeof FINDINGS;

const isProxyFault = (reason: string): reason is ProxyFault => Object.hasOwn(FINDINGS, reason);

/** An origin as browsers write it. Other callers may send any text, which would stand on the page. */
const ORIGIN = /^https?:\/\/[\w.-]{1,253}(?::\d{1,5})?$/;

/**
 * What refused calls have proved about the proxy in front of this process since its start, until the next one: the
 * remedy is an option, which needs a restart, or a setting of the proxy.
 */
@Injectable()
export class ProxyFaults {
  private readonly found = new Map<ProxyFault, SetupFinding>();

  /** Adds the first refusal of a kind, and logs it. */
  add({ headers }: Request, { reason }: Problem): void {
    const { origin = '' } = headers;
    if (!isProxyFault(reason) || this.found.has(reason) || !ORIGIN.test(origin)) return;
    const finding = urgentFinding(FINDINGS[reason], { origin });
    this.found.set(reason, finding);
    Logger.warn(titleOf(finding), 'Setup');
  }

  findings(): readonly SetupFinding[] {
    return [...this.found.values()];
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import { titleOf } from '../../health/setup/setup-finding.js';
import { SetupFindings } from '../../health/setup/setup-findings.js';
import { AdminAccount } from '../../platform/access/accounts/admin-account.js';
import { baseAddress } from '../../platform/config/base-address.js';
import type { ServerOptions } from '../../platform/config/server-config.js';

type StartNotice = Awaited<ReturnType<typeof startNotice>>;

/** What the console says once the server is ready. */
export async function startNotice(app: INestApplicationContext, options: ServerOptions) {
  return {
    /** How the first administrator signs in. */
    hint: signInHint(app.get(AdminAccount), options),
    findings: await app.get(SetupFindings).all(),
  };
}

/** Prints it with the server's addresses. */
export function announce(
  options: ServerOptions,
  port: number,
  { hint, findings }: StartNotice,
): void {
  const base = baseAddress({ ...options, port });
  const workers = options.workers > 1 ? `, in ${options.workers} processes` : '';
  const lines = [
    '',
    `  ServiceFido is ready at ${base}${workers}`,
    `  Demo:            ${base}/demo`,
    `  Administration:  ${base}/  ${hint}`,
    `  Documentation:   ${base}/docs`,
  ];
  if (findings.length > 0)
    lines.push('', '  Needs attention (the log and /status say what to do):');
  lines.push(...findings.map((one) => `  ${one.urgent ? '!' : '-'} ${titleOf(one)}`));
  console.log([...lines, ''].join('\n'));
}

function signInHint({ generated, passwordFile }: AdminAccount, options: ServerOptions): string {
  const { auth, adminUser, adminPassword } = options;
  if (!auth) return '(no password: --auth off)';
  if (generated !== undefined) return `(user ${adminUser}, password ${generated})`;
  if (adminPassword !== undefined) return `(user ${adminUser}, the password you gave)`;
  return `(user ${adminUser}, password in ${passwordFile})`;
}

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { say } from '../project.mjs';
import { findProgram } from './programs.mjs';

const POLICY = '/usr/sbin/policy-rc.d';

const INSTALL = ['install', '-y', '-qq', '--no-install-recommends'];

/** Whether this is a Debian-like build machine where missing programs may be installed. */
export const mayInstall = () =>
  process.env.CI === 'true' && process.getuid?.() === 0 && findProgram('apt-get') !== undefined;

/**
 * Installs packages with apt, without starting their services.
 *
 * @param packages names; of an array, the first available one
 */
export function aptInstall(packages) {
  const wanted = packages.map((names) => [names].flat());
  say(`CI=true: installing ${wanted.map((names) => names.join(' or ')).join(', ')} with apt-get`);
  const ownPolicy = !existsSync(POLICY);
  // 101 is Debian's "action forbidden": the tests start private instances themselves.
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt(['update', '-qq']);
    for (const names of wanted) names.some((name) => apt([...INSTALL, name]));
  } finally {
    if (ownPolicy) rmSync(POLICY, { force: true });
  }
}

/** @returns whether it succeeded */
function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const stdio = ['ignore', 'ignore', 'inherit'];
  const { status } = spawnSync('apt-get', args, { env, stdio });
  if (status !== 0) say(`apt-get ${args.join(' ')} failed`);
  return status === 0;
}

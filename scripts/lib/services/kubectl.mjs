import { execFileSync } from 'node:child_process';
import { findProgram } from './programs.mjs';

/** Renders the manifests of deploy/kubernetes: optional, since a test reads their sources as well. */
export function findKubectl() {
  const found = { name: 'kubectl', optional: true, env: {} };
  const path = findProgram('kubectl');
  if (path === undefined) return { ...found, missing: 'not installed' };
  try {
    const said = execFileSync(path, ['version', '--client'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const version = /v(\d+\.\d[\w.-]*)/.exec(said.toString())?.[1] ?? 'unknown version';
    return { ...found, detail: `${version} at ${path}` };
  } catch (error) {
    return { ...found, missing: `${path} does not start: ${error.message}` };
  }
}

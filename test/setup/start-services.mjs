import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuild } from '../../scripts/lib/build.mjs';
import { ensureOpenApi } from '../../scripts/lib/openapi.mjs';
import { findServices } from '../../scripts/lib/services/all.mjs';
import { found } from './services.mjs';

/** Builds what is stale, finds or starts the services, and passes their addresses on to the workers. */
export default async function startServices() {
  // A plain exit ends the services with this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  ensureBuild();
  ensureOpenApi();
  found.services = await findServices({ scratch: true });
  found.templates = await mkdtemp(join(tmpdir(), 'servicefido-templates-'));
  Object.assign(process.env, ...found.services.map(({ env }) => env));
  process.env.TEST_TEMPLATES = found.templates;
}

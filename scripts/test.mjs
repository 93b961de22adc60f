#!/usr/bin/env node
/** `npm test [-- Jest's arguments]`: installs what is missing, builds, finds services, tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuild } from './lib/build.mjs';
import { runAllSuites, runSuites } from './lib/jest.mjs';
import { requireNode } from './lib/node-version.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { run } from './lib/project.mjs';
import { findServices } from './lib/services/all.mjs';
import { closingLine, summary, unmet, unsteadyLines } from './lib/summary.mjs';

// A plain exit, so that whatever was started here is ended with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

await run(async () => {
  requireNode();
  ensurePackages();
  ensureBuild();
  const args = process.argv.slice(2);
  const services = await findServices({ scratch: true });
  const templates = await mkdtemp(join(tmpdir(), 'servicefido-templates-'));
  let counts;
  try {
    const shared = { TEST_TEMPLATES: templates };
    const env = Object.assign(shared, ...services.map((service) => service.env));
    counts = args.length === 0 ? await runAllSuites(env) : await runSuites(args, env);
  } finally {
    await Promise.all(services.map(({ stop }) => stop?.()));
    await rm(templates, { recursive: true, force: true });
  }
  const lacking = unmet(services);
  // The closing line and the exit code must never disagree.
  const failed = Math.max(counts.failed + lacking.length, counts.code === 0 ? 0 : 1);
  console.log(summary(services, { lacking, partial: args.length > 0 }));
  for (const line of unsteadyLines(counts)) console.log(line);
  console.log(closingLine({ ...counts, failed }));
  process.exitCode = failed === 0 ? 0 : 1;
});

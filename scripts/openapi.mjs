#!/usr/bin/env node
/**
 * `npm run openapi`: writes what the server says of its HTTP interfaces (`/docs/openapi.json`) to
 * openapi.json, from which clients are generated. `test/http/openapi.e2e-spec.ts` compares the two.
 */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import './lib/register-typescript.mjs';
import { requireNode } from './lib/node-version.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { withSqlite } from './lib/migrations.mjs';
import { inProject, run, say } from './lib/project.mjs';

await run(async () => {
  requireNode();
  ensurePackages();
  const document = await withSqlite(describe);
  writeFileSync(inProject('openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
  say(`openapi.json has ${Object.keys(document.paths).length} paths`);
});

/** The document of a server over an empty database, which never listens. */
async function describe(db) {
  const { pino } = await import('pino');
  const { optionsWith } = await import('../src/config/load-options.ts');
  const { createApp } = await import('../src/app.ts');
  const { describeInterfaces } = await import('../src/http/openapi-document.ts');
  const app = await createApp(optionsWith({ db, data: dirname(db.slice('sqlite:'.length)) }), {
    log: pino({ level: 'silent' }),
  });
  await app.init();
  const document = await describeInterfaces(app);
  await app.close();
  return document;
}

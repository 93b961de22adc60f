#!/usr/bin/env node
/**
 * `npm run openapi`: writes the OpenAPI document of the built server to dist/openapi.json, for client generators and
 * tests; a running server returns the same at `/docs/openapi.json`. With `-- --keep` it also stores the document of
 * this version in docs/api, for comparison with later versions.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuild } from './lib/build.mjs';
import { built, withSqlite } from './lib/migrations.mjs';
import { OPENAPI_FILE, keptApiFile, minifiedApi } from './lib/openapi.mjs';
import { inProject, say } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  ensureBuild();
  const document = await withSqlite(describe);
  writeFileSync(inProject(OPENAPI_FILE), `${JSON.stringify(document, null, 2)}\n`);
  say(`${OPENAPI_FILE} has ${Object.keys(document.paths).length} paths`);
  if (!parseArgs({ options: { keep: { type: 'boolean' } } }).values.keep) return;
  const kept = keptApiFile(document.info.version);
  mkdirSync(dirname(inProject(kept)), { recursive: true });
  writeFileSync(inProject(kept), minifiedApi());
  say(`${kept} is kept`);
});

/** The document of a server over an empty database, which never listens. */
async function describe(db) {
  const { pino } = await import('pino');
  const { optionsWith } = await built('platform/config/load-options.js');
  const { createApp } = await built('app.js');
  const { describeInterfaces } = await built('platform/http/openapi/api-description.js');
  const app = await createApp(optionsWith({ db, data: dirname(db.slice('sqlite:'.length)) }), {
    log: pino({ level: 'silent' }),
  });
  await app.init();
  const document = await describeInterfaces(app);
  await app.close();
  return document;
}

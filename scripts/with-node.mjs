#!/usr/bin/env node
/** `node scripts/with-node.mjs 22 npm test`: runs a command with a Node.js of that major version first on PATH. */
import { nodeOf } from './lib/node-version.mjs';
import { Refusal } from './lib/project.mjs';
import { reportRefusal } from './lib/run.mjs';
import { runOn } from './lib/run-on.mjs';

await reportRefusal(async () => {
  const [major, program, ...args] = process.argv.slice(2);
  if (!/^\d+$/.test(major) || program === undefined) throw new Refusal('say: MAJOR COMMAND…');
  await runOn(nodeOf(major), program, args);
});

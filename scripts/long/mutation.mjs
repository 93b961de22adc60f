/**
 * `npm run long -- mutation [name…]`: measures how many mutations of the WebAuthn core its unit tests detect (Stryker,
 * configured in config/mutation). Names select files (`cbor tpm`). Prints the score of each file; the report with the
 * surviving mutants is written to `reports/mutation`. Exit code 1 below the bound.
 */
import { existsSync } from 'node:fs';
import { npm } from '../lib/npm.mjs';
import { ensurePackages } from '../lib/packages.mjs';
import { inProject, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { runOn } from '../lib/run-on.mjs';

const TOOLS = 'config/mutation';
const STRYKER = inProject(TOOLS, 'node_modules/@stryker-mutator/core/bin/stryker.js');

await run(async () => {
  ensurePackages();
  if (!existsSync(STRYKER)) {
    say(`installing the mutation tester in ${TOOLS}`);
    const quiet = ['--no-fund', '--no-audit', '--legacy-peer-deps'];
    npm(['ci', '--prefix', TOOLS, ...quiet], 'Is the network there?');
  }
  const files = process.argv.slice(2).map((name) => `src/webauthn/**/${name}.ts`);
  const chosen = files.length > 0 ? ['--mutate', files.join()] : [];
  const args = ['run', `${TOOLS}/stryker.config.mjs`, '--logLevel', 'error', ...chosen];
  await runOn(process.execPath, process.execPath, [STRYKER, ...args]);
});

#!/usr/bin/env node
/** `node scripts/sbom.mjs [FILE]`: the packages that run in production, as CycloneDX (sbom.cdx.json). */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { ROOT, Refusal, say } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await run(async () => {
  const [file = 'sbom.cdx.json'] = process.argv.slice(2);
  let text;
  try {
    const args = [
      'sbom',
      '--sbom-format=cyclonedx',
      '--omit=dev',
      '--package-lock-only',
      '--workspaces=false',
    ];
    text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 });
  } catch (error) {
    throw new Refusal(`npm sbom failed: ${error.message.split('\n')[0]}`);
  }
  writeFileSync(file, text);
  say(`${file}: ${JSON.parse(text).components.length} packages`);
});

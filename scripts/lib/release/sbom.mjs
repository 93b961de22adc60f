import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Refusal, ROOT, inProject } from '../project.mjs';

const SBOM = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
const UUID = /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/;

/**
 * The packages that run in production, as CycloneDX. npm puts the time, a random serial number and the name of the
 * folder into it; here the time is given and the number is made of the content, so that the same packages give the
 * same bytes.
 *
 * @param date of the release
 */
export function billOfMaterials(date) {
  let text;
  try {
    const args = [...SBOM, '--workspaces=false'];
    text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 });
  } catch (error) {
    throw new Refusal(`npm sbom failed: ${error.message.split('\n')[0]}`);
  }
  const bill = JSON.parse(text);
  const { name } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  bill.metadata.component.name = name;
  bill.metadata.timestamp = date.toISOString();
  delete bill.serialNumber;
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  bill.serialNumber = `urn:uuid:${digest.replace(UUID, '$1-$2-8$3-8$4-$5')}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

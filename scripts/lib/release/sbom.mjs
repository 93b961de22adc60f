import { createHash } from 'node:crypto';
import { must } from '../must.mjs';
import { readJson } from '../project.mjs';

const SBOM = [
  'sbom',
  '--sbom-format=cyclonedx',
  '--omit=dev',
  '--package-lock-only',
  '--workspaces=false',
];
const UUID = /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/;

/**
 * Returns the packages that run in production, as CycloneDX. npm includes the time, a random serial number and the
 * name of the folder; here the time is given and the number is derived from the content, so that the same packages
 * give the same bytes.
 *
 * @param date of the release
 */
export function billOfMaterials(date) {
  const bill = JSON.parse(must('npm', ...SBOM));
  const { name } = readJson('package.json');
  bill.metadata.component.name = name;
  bill.metadata.timestamp = date.toISOString();
  delete bill.serialNumber;
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  bill.serialNumber = `urn:uuid:${digest.replace(UUID, '$1-$2-8$3-8$4-$5')}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

import { readFileSync } from 'node:fs';
import { must } from '../must.mjs';
import { Refusal, inProject, readJson } from '../project.mjs';

const WORKSPACES = ['packages/browser', 'packages/node', 'packages/testing'];

/** The version of the current commit, checked for a release. */
export class Release {
  /**
   * Refuses uncommitted changes, inconsistent versions, a version without notes, and a version that already has a
   * tag.
   */
  constructor() {
    const changed = git('status', '--porcelain');
    if (changed !== '') throw new Refusal(`commit or remove these first:\n${changed}`);
    this.version = oneVersion();
    this.tagName = `v${this.version}`;
    this.notes = notesOf(this.version);
    if (git('tag', '--list', this.tagName) !== '') {
      throw new Refusal(`The tag ${this.tagName} exists: raise the version.`);
    }
    /** The date of the commit, used for each dated file of the release. */
    this.date = new Date(Number(git('log', '-1', '--format=%ct')) * 1000);
  }

  /** Refuses if git does not know the author of the tag. */
  requireTagger() {
    git('var', 'GIT_COMMITTER_IDENT');
  }

  tag() {
    git('tag', '--annotate', this.tagName, '--message', `ServiceFido ${this.version}`);
  }

  /** The remaining steps for a maintainer, who has the necessary accounts. */
  publishingSteps(folder) {
    return `
The tag ${this.tagName} was made. To publish it:
  1. cd ${folder} && sha256sum --check SHA256SUMS
  2. git push origin ${this.tagName}
  3. npm publish FILE, for each of the three .tgz files
  4. tar --extract --file servicefido-${this.version}.oci.tar, then copy the image from that folder to your registry,
     for example: skopeo copy oci:servicefido-${this.version}.oci docker://REGISTRY/servicefido:${this.version}
  5. announce release-notes.md, with SHA256SUMS and sbom.cdx.json beside it`;
  }
}

function oneVersion() {
  const locked = readJson('package-lock.json').packages;
  const versions = [
    ['package.json', readJson('package.json').version],
    ...WORKSPACES.map((path) => [`${path}/package.json`, readJson(`${path}/package.json`).version]),
    ...['', ...WORKSPACES].map((path) => [`package-lock.json "${path}"`, locked[path].version]),
  ];
  const [[, version]] = versions;
  const others = versions.filter(([, other]) => other !== version).map(([place]) => place);
  if (others.length > 0) {
    throw new Refusal(`The version is ${version}, but another one in ${others.join(', ')}.`);
  }
  return version;
}

/** The section of the version in CHANGELOG.md, without its heading. */
function notesOf(version) {
  const [, ...sections] = readFileSync(inProject('CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes) throw new Refusal(`CHANGELOG.md says nothing under "## ${version}".`);
  return notes;
}

const git = (...args) => must('git', ...args);

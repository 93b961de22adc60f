import { readFileSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';

/** One instruction: `COPY`, and what follows it. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Copy {
  /** The stage that it copies from; without one, from the build context. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The instructions of the Dockerfile, those of each stage together; the last makes the image. */
export function stages(): Instruction[][] {
  const lines = readFileSync(projectPath('docker/Dockerfile'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const all: Instruction[][] = [[]];
  for (const line of lines) {
    const [name = '', ...words] = line.trim().split(/\s+/);
    if (name === 'FROM') all.push([]);
    all.at(-1)?.push({ name, text: words.join(' ') });
  }
  return all;
}

export const textsOf = (stage: readonly Instruction[], wanted: string): string[] =>
  stage.filter(({ name }) => name === wanted).map(({ text }) => text);

/** What a stage copies, in order. */
export const copiesOf = (stage: readonly Instruction[]): Copy[] =>
  textsOf(stage, 'COPY').map((text) => {
    const words = text.split(' ');
    const flags = words.filter((word) => word.startsWith('--'));
    const paths = words.filter((word) => !word.startsWith('--'));
    const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
    return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
  });

/** The environment that the image sets. */
export const environmentOf = (stage: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    textsOf(stage, 'ENV').flatMap((text) =>
      text.split(' ').map((pair) => pair.split('=', 2) as [string, string]),
    ),
  );

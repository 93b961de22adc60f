import { readFileSync } from 'node:fs';
import { ModulesContainer } from '@nestjs/core';
import { projectPath } from '../../src/platform/project.js';
import { startIssuer } from '../support/oidc-issuer.js';
import type { TestServer } from '../support/test-server.js';

/** Nest adds these to every module, and the module's own class. */
const OF_NEST = ['ApplicationConfig', 'ModuleRef'];

describe('the modules', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startIssuer({ options: { oidc: true, entra: true, scim: true } });
  });
  afterAll(() => server.stop());

  /** The modules that provide each class. */
  function providersOfClasses() {
    const found = new Map<string, string[]>();
    for (const { name, providers } of server.get(ModulesContainer).values()) {
      for (const token of providers.keys()) {
        if (typeof token !== 'function' || [...OF_NEST, name].includes(token.name)) continue;
        found.set(token.name, [...(found.get(token.name) ?? []), name]);
      }
    }
    return found;
  }

  it('provide each class once, since a second instance would have caches and limits of its own', () => {
    const found = providersOfClasses();
    expect(found.size).toBeGreaterThan(100);
    expect([...found].filter(([, modules]) => modules.length > 1)).toEqual([]);
  });

  it('provide each job of docs/architecture.md, since one without a module would never run', () => {
    const [, after = ''] = readFileSync(projectPath('docs/architecture.md'), 'utf8').split(
      '## Jobs',
    );
    const [table = ''] = after.split('\n## ');
    const jobs = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
    const found = providersOfClasses();
    expect(jobs.length).toBeGreaterThan(20);
    expect(jobs.filter((job) => !found.has(job))).toEqual([]);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOptions } from '../../src/platform/config/load-options.js';
import { projectPath } from '../../src/platform/project.js';
import { issueKey } from '../support/application-keys.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { environmentOf as imageEnvironment, stages } from '../support/image/dockerfile.js';
import {
  environmentOf,
  isServer,
  readSources,
  render,
  renderedEnvironment,
  type Manifest,
} from '../support/kubernetes/manifests.js';
import { isTyped, typeFaults } from '../support/kubernetes/type-faults.js';
import { describeWith } from '../support/needs.js';
import { ServerProcess } from '../support/server-process.js';
import { ADMIN } from '../support/test-server.js';

const BASE = 'base';
const OVERLAY = 'overlays/three-replicas';
const FOLDERS = [BASE, OVERLAY];
const MOUNT = '/run/secrets/servicefido';
/** How long a server takes at most to end after SIGTERM (docs/operations.md). */
const END_SECONDS = 10;

const base = readSources(BASE);
const overlay = readSources(OVERLAY);
const server = only(base.resources, 'StatefulSet');
const { template } = server.spec;
const [container] = template.spec.containers;

/** The secrets that docs/kubernetes.md makes, in a folder instead of the mount. */
const SECRETS: Readonly<Record<string, string>> = {
  'admin-password': ADMIN.password,
  'metrics-key': 'a metrics key of the tests',
  'audit-key': Buffer.alloc(32, 1).toString('base64'),
  'secret-keys': Buffer.alloc(32, 2).toString('base64'),
  'database-url': 'mysql://servicefido:secret@database.example.com:3306/servicefido',
  'sessions-url': 'redis://:secret@redis.example.com:6379',
};

describe('the manifests for Kubernetes', () => {
  const secrets = mkdtempSync(join(tmpdir(), 'servicefido-secrets-'));
  beforeAll(() => {
    for (const [name, value] of Object.entries(SECRETS)) {
      writeFileSync(join(secrets, name), value, { mode: 0o600 });
    }
  });
  afterAll(() => rmSync(secrets, { recursive: true }));

  it('the manifests have only members that Kubernetes knows, and all required ones', () => {
    const objects = [...base.resources, ...overlay.resources].filter(isTyped);
    expect(objects.length).toBeGreaterThan(6);
    expect(typeFaults(objects, overlay.patches)).toEqual([]);
    const wrong = { ...server, spec: { ...server.spec, replica: 1 } } as Manifest;
    expect(typeFaults([wrong])).toEqual([expect.stringContaining('replica')]);
  });

  it.each(FOLDERS)('the manifests in %s set only known options', (folder) => {
    const { options } = loadOptions([], withSecrets(environmentOf(folder)));
    expect(options).toMatchObject({
      adminPassword: SECRETS['admin-password'],
      metricsKey: SECRETS['metrics-key'],
      auditKeyFile: join(secrets, 'audit-key'),
      secretKeyFile: join(secrets, 'secret-keys'),
      registration: 'first-only',
      trustProxy: 1,
    });
    if (folder === OVERLAY) {
      const { 'database-url': db, 'sessions-url': sessions } = SECRETS;
      expect(options).toMatchObject({ db, sessions, issuer: 'https://fido.example.com' });
    }
  });

  it('the manifests mount each secret that docs/kubernetes.md makes, and no other', () => {
    const text = readFileSync(projectPath('docs/kubernetes.md'), 'utf8');
    const made = [...text.matchAll(/--from-(?:file|literal)=([a-z-]+)/g)].map(([, name]) => name);
    const read = Object.values(environmentOf(OVERLAY))
      .filter((value) => value.startsWith(MOUNT))
      .map((value) => value.slice(MOUNT.length + 1));
    expect(new Set(made)).toEqual(new Set(read));
    expect(new Set(made)).toEqual(new Set(Object.keys(SECRETS)));
  });

  it('the manifests use the port and the paths of the server', () => {
    const [, , image = []] = stages();
    const { SERVICEFIDO_PORT: port, SERVICEFIDO_DATA: data } = imageEnvironment(image);
    const get = (path: string) => ({ httpGet: { path, port: 'http' } });
    expect(container).toMatchObject({
      ports: [{ name: 'http', containerPort: Number(port) }],
      startupProbe: get('/health/live'),
      livenessProbe: get('/health/live'),
      readinessProbe: get('/health/ready'),
      volumeMounts: expect.arrayContaining([{ name: 'data', mountPath: data }]) as unknown,
    });
    const service = only(base.resources, 'Service');
    expect(service.spec).toMatchObject({ ports: [{ name: 'http', targetPort: 'http' }] });
    const monitor = only(overlay.resources, 'ServiceMonitor');
    expect(monitor.spec).toEqual({
      selector: { matchLabels: service.metadata.labels },
      endpoints: [
        {
          port: 'http',
          path: '/metrics',
          interval: '30s',
          authorization: { credentials: { name: 'servicefido', key: 'metrics-key' } },
        },
      ],
    });
  });

  it('the manifests restrict the pod and set no option by the name of the service', () => {
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(container).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  });

  it('the grace period of the pod is longer than its sleep and the end of the server', () => {
    const { terminationGracePeriodSeconds, containers } = template.spec as unknown as {
      terminationGracePeriodSeconds: number;
      containers: [{ lifecycle: { preStop: { exec: { command: [string, string] } } } }];
    };
    const [program, seconds] = containers[0].lifecycle.preStop.exec.command;
    expect(program).toBe('sleep');
    expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + END_SECONDS);
  });

  it('the manifests select the pods of the server everywhere', () => {
    const labels = { 'app.kubernetes.io/name': 'servicefido' };
    expect(template.metadata).toEqual({ labels });
    expect(only(base.resources, 'Service').spec['selector']).toEqual(labels);
    const matching = { matchLabels: labels };
    expect(server.spec['selector']).toEqual(matching);
    expect(only(base.resources, 'PodDisruptionBudget').spec['selector']).toEqual(matching);
    const policies = [...base.resources, ...overlay.resources].filter(
      ({ kind }) => kind === 'NetworkPolicy',
    );
    expect(policies.map(({ spec }) => spec['podSelector'])).toEqual([matching, matching]);
    const [{ spec }] = overlay.patches as [Manifest];
    const { topologySpreadConstraints: spread } = spec.template.spec as unknown as {
      topologySpreadConstraints: readonly { labelSelector: object }[];
    };
    expect(spread.map(({ labelSelector }) => labelSelector)).toEqual([matching, matching]);
  });

  it('a user registers and signs in, and an administrator makes changes, at a server with the environment of the manifests', async () => {
    const started = new ServerProcess([], withSecrets(environmentOf(BASE)));
    await started.start();
    try {
      const client = new FidoClient(started.url);
      expect(await client.register('erin')).toMatchObject({ status: 200 });
      expect(await client.signIn('erin')).toMatchObject({ status: 200 });
      // The first start has sealed the audit trail, so that the installation can be administered.
      const admin = adminClient(started.url);
      const made = await admin.post('/tenantapi/tenants', { tenant: 'acme' });
      expect(made.status).toBe(201);
      await issueKey(started.url, { tenant: 'default', scopes: ['ceremonies'] });
      const disabling = { type: 'disableall', filter: 'erin' };
      expect((await admin.post('/userapi/manageusers', disabling)).status).toBe(200);
      expect((await client.signIn('erin')).status).not.toBe(200);
    } finally {
      await started.remove();
    }
  });

  describeWith('kubectl')('rendered by kubectl', () => {
    it.each(FOLDERS)('the manifests rendered from %s match the types of Kubernetes', (folder) => {
      const manifests = render(folder);
      expect(typeFaults(manifests.filter(isTyped))).toEqual([]);
      expect(renderedEnvironment(manifests)).toEqual(environmentOf(folder));
      const { containers } = manifests.find(isServer)?.spec.template.spec ?? {};
      const map = only(manifests, 'ConfigMap');
      expect(containers).toMatchObject([
        { envFrom: [{ configMapRef: { name: map.metadata.name } }] },
      ]);
    });

    it('the rendered base is one server with a volume', () => {
      const manifests = render(BASE);
      const { spec } = only(manifests, 'StatefulSet');
      expect(spec).toMatchObject({
        replicas: 1,
        volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      });
      expect(manifests.map(({ kind }) => kind)).not.toContain('Deployment');
    });

    it('the rendered overlay is three servers without volumes', () => {
      const manifests = render(OVERLAY);
      const { spec } = only(manifests, 'Deployment');
      expect(spec).toMatchObject({
        replicas: 3,
        strategy: { rollingUpdate: { maxUnavailable: 0 } },
        template: {
          spec: {
            containers: [{ image: expect.stringMatching(/^registry\.example\.com\/servicefido:/) }],
            volumes: expect.arrayContaining([{ name: 'data', emptyDir: {} }]),
          },
        },
      });
      expect(Object.keys(spec)).not.toContain('volumeClaimTemplates');
      expect(manifests.map(({ kind }) => kind)).not.toContain('StatefulSet');
    });
  });

  function withSecrets(environment: Record<string, string>) {
    return Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace(MOUNT, secrets)]),
    );
  }
});

function only(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} objects are a ${kind}.`);
  return found[0] as Manifest;
}

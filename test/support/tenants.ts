import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import type { TestServer } from './test-server.js';

/** Removes all tenants but the first, so that the next test meets no relying party of this one. */
export async function removeTenants(server: TestServer): Promise<void> {
  const tenancy = server.get(TenancyService);
  for (const { name } of await tenancy.listTenants()) {
    if (name !== 'default') await tenancy.removeTenant(server.call, name);
  }
}

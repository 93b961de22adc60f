import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { Inventory, NOTHING } from '../credentials/inventory.js';
import type { Holdings } from '../credentials/inventory.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { TenantDirectory } from '../tenancy/tenant-directory.js';
import type { DashboardView, Figure } from './dashboard.view.js';
import { warningsOf } from './warnings.js';

const written = (number: number): string => number.toLocaleString('en');

/** Gathers what the dashboard shows. */
@Injectable()
export class DashboardService {
  constructor(
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
    private readonly tenancy: TenancyService,
    private readonly directory: TenantDirectory,
    private readonly inventory: Inventory,
  ) {}

  async view(): Promise<DashboardView> {
    const [tenants, holdings] = await Promise.all([
      this.tenancy.listTenants(),
      this.inventory.byRelyingParty(),
    ]);
    // A removed relying party is closed at once while its rows go in batches: it is not counted.
    const open = this.directory.current.relyingParties
      .map((rp) => ({ rp, held: holdings.get(rp.id.toString('hex')) ?? NOTHING }))
      .sort((a, b) => a.rp.domain.localeCompare(b.rp.domain));
    return {
      title: 'Dashboard',
      nav: { dashboard: true },
      warnings: warningsOf(this.options, this.directory.current.relyingParties),
      figures: figures(
        tenants.length,
        open.map(({ held }) => held),
      ),
      relyingParties: open.map(({ rp, held }) => row(rp, held)),
    };
  }
}

function figures(tenants: number, held: readonly Holdings[]): Figure[] {
  const sum = (name: keyof Holdings) => held.reduce((total, one) => total + one[name], 0);
  const [enabled, disabled] = [sum('enabled'), sum('disabled')];
  return [
    { icon: 'building', label: 'Tenants', value: written(tenants) },
    { icon: 'globe', label: 'Relying parties', value: written(held.length) },
    { icon: 'user', label: 'Users', value: written(sum('users')) },
    {
      icon: 'key',
      label: 'Keys',
      value: written(enabled + disabled),
      note: `${written(enabled)} enabled, ${written(disabled)} disabled`,
    },
  ];
}

function row({ domain, name, tenant, origins }: RelyingParty, held: Holdings) {
  return {
    domain,
    name,
    tenant,
    origins,
    users: written(held.users),
    enabled: written(held.enabled),
    disabled: written(held.disabled),
  };
}

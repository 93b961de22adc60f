import { problem } from '../../../platform/errors/reasons.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { may, KEY_PERMISSIONS, type KeyPermission } from '../../../platform/access/permissions.js';
import type { RelyingParties } from '../../../tenancy/scope/relying-parties.js';
import { tagOf } from '../../../platform/http/versions.js';
import type { ApplicationKey } from '../../../tenancy/keys/application-key.entity.js';
import { keyVersion } from '../../../tenancy/keys/application-keys.js';
import { keyView } from '../../../tenancy/keys/application-key.answer.js';
import type { Tenant } from '../../../tenancy/tenant.entity.js';
import { choiceOf, textIn, textsIn } from '../form.js';
import { commonView, tenantAddress, type TenantPageVisit } from '../tenants.view.js';

/** The text of a permission. Its name has no colon, which would separate the catalogue's area from the text. */
const permissionText = (permission: KeyPermission): string =>
  `tenants:appKeys.scopes.${permission.replace(':', '-')}`;

const TICK_ONE = problem('form.tick');

/** A key that was just issued. Its secret is shown only once. */
export interface IssuedKey {
  readonly name: string;
  readonly secret: string;
}

interface KeysPageData {
  readonly tenant: Tenant;
  readonly keys: readonly Required<ApplicationKey>[];
  readonly relyingParties: RelyingParties;
  readonly now: number;
  readonly issued?: IssuedKey | undefined;
}

export const keysAddress = (tenant: string): string => `${tenantAddress(tenant)}/_keys`;

export function applicationKeysPage(shown: KeysPageData, visit: TenantPageVisit) {
  const { account, sent } = visit;
  const { tenant, keys, relyingParties, issued } = shown;
  const faults = sent?.faults ?? {};
  const field = (name: string) => ({ value: textIn(sent?.fields, name), error: faults[name] });
  const own = relyingParties.all.filter((rp) => rp.tenant === tenant.name);
  const scopes = textsIn(sent?.fields, 'scopes');
  const domains = textsIn(sent?.fields, 'relyingParties');
  return {
    ...commonView(phrase('tenants:appKeys.of', { name: tenant.displayName }), visit),
    issued,
    again: issued && keysAddress(tenant.name),
    mayChange: may(account, 'application-keys:change'),
    tenant: {
      name: tenant.name,
      address: tenantAddress(tenant.name),
      displayName: tenant.displayName,
    },
    address: keysAddress(tenant.name),
    keys: keys.map((key) => keyRow(key, shown)),
    fields: { name: field('name'), expiresAt: field('expiresAt') },
    scopes: {
      // docs/keys.md names the calls that each opens.
      choices: KEY_PERMISSIONS.map((name) => choiceOf(name, phrase(permissionText(name)), scopes)),
      error: faults['scopes'] && TICK_ONE,
    },
    domains: {
      choices: own.map(({ domain }) => choiceOf(domain, domain, domains)),
      error: faults['relyingParties'],
    },
  };
}

function keyRow(key: Required<ApplicationKey>, { tenant, relyingParties, now }: KeysPageData) {
  const view = keyView(key, relyingParties);
  return {
    ...view,
    /** The value for `If-Match`. */
    tag: tagOf(keyVersion(key)),
    wholeTenant: view.relyingParties === null,
    /** The relying parties that a restricted key covers; all of them may have been removed. */
    relyingParties: view.relyingParties ?? [],
    /** Whether calls with the key are already refused. */
    expired: key.expiresAt !== null && key.expiresAt <= now,
    /** The address to which the form is sent. */
    revoke: `${keysAddress(tenant.name)}/${view.id}/_revoke`,
  };
}

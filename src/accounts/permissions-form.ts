import { ROLES } from '../platform/config/files/accounts-file.js';
import {
  baseIn,
  baseOf,
  changedMeanwhile,
  changesIn,
  differingFrom,
  type FormLine,
  type LastChanges,
  type TypedMembers,
} from '../platform/pages/form-base.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import type { PageVisit } from '../platform/pages/submit-form.js';
import { formPermissions, tenantsText, type AccountPermissions } from './account-permissions.js';

/** A form of permissions, and the changes by others since it was shown. */
interface StalePermissions {
  readonly typed: TypedMembers<AccountPermissions>;
  readonly last: LastChanges;
}

/** A visit, and the permissions that the account may grant there. */
export interface PermissionsVisit extends PageVisit {
  readonly links: boolean;
  /** Whether there is an OpenID provider; on the page of one account. */
  readonly hasProvider?: boolean;
  /** Present if others changed the permissions before the form was sent. */
  readonly stale?: StalePermissions | undefined;
  /** The tenants for which the account may grant permissions. */
  readonly tenants: readonly { readonly name: string; readonly displayName: string }[];
}

type FormPermissions = ReturnType<typeof formPermissions>;

export const permissionsText = (
  fields: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string => {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
};

function shownPermissions(visit: PermissionsVisit, present: AccountPermissions): FormPermissions {
  const { sent, stale } = visit;
  const givable = givableIn(visit);
  const stored = formPermissions(present, givable);
  if (stale) return { ...stored, ...changesIn(typedOf(stale, givable)) };
  // A form that only confirms a removal contains no permissions.
  if (sent?.fields['role'] === undefined) return stored;
  const typedRole = permissionsText(sent.fields, 'role');
  const ticked = [sent.fields['tenants']].flat().filter((one) => typeof one === 'string');
  return formPermissions(
    {
      role: ROLES.find((role) => role === typedRole) ?? present.role,
      tenants: ticked,
      secondFactor: 'secondFactor' in sent.fields,
    },
    givable,
  );
}

const givableIn = ({ tenants }: PermissionsVisit): readonly string[] =>
  tenants.map(({ name }) => name);

const typedOf = ({ typed: { base, members } }: StalePermissions, givable: readonly string[]) => ({
  base,
  members: formPermissions(members, givable),
});

/** The fields of a form for permissions: the typed values, otherwise the current ones. */
export function permissionsFields(visit: PermissionsVisit, present: AccountPermissions) {
  const { role, tenants, secondFactor } = shownPermissions(visit, present);
  return {
    roles: {
      choices: ROLES.map((value) => ({
        value,
        text: phrase(`console:duties.${value}`),
        selected: value === role,
      })),
      error: visit.sent?.faults['role'],
    },
    tenants: {
      choices: visit.tenants.map(({ name, displayName }) => ({
        value: name,
        name: displayName,
        selected: tenants.includes(name),
      })),
      error: visit.sent?.faults['tenants'],
      /** Whether at least one must be ticked. */
      needed: visit.account.tenants !== undefined,
    },
    secondFactor,
  };
}

const linesOf = ({ tenants: known }: PermissionsVisit): readonly FormLine<FormPermissions>[] => [
  {
    member: 'role',
    what: phrase('console:accounts.role'),
    valueOf: ({ role }) => phrase(`console:roles.${role}`),
  },
  {
    member: 'tenants',
    what: phrase('console:accounts.limited'),
    valueOf: ({ tenants }) =>
      tenants.length > 0
        ? (tenantsText({ tenants }, known) ?? '')
        : phrase('console:accounts.allTenants'),
  },
  {
    member: 'secondFactor',
    what: phrase('console:accounts.columns.secondFactor'),
    valueOf: ({ secondFactor }) =>
      phrase(`console:accounts.${secondFactor ? 'demanded' : 'notDemanded'}`),
  },
];

/** The form for the permissions of an account, and the changes by others since it was shown. */
export function permissionsForm(visit: PermissionsVisit, present: AccountPermissions) {
  const { sent, stale } = visit;
  const givable = givableIn(visit);
  const stored = formPermissions(present, givable);
  const sentBase = baseIn(sent?.fields ?? {});
  const isShownAgain = sentBase !== '' && !stale;
  return {
    /** The base of the form (`baseOf`). */
    base: isShownAgain ? sentBase : baseOf(stored),
    fields: permissionsFields(visit, present),
    meanwhile:
      stale &&
      changedMeanwhile(
        differingFrom(stale.typed.base, stored),
        linesOf(visit),
        {
          stored,
          saved: shownPermissions(visit, present),
          storedWith: (member, value) => formPermissions({ ...stored, [member]: value }, givable),
        },
        stale.last,
      ),
  };
}

import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';

const VIEWS = projectPath('views');

const EDITABLE = /<(?:select|textarea)\b|<input\b(?![^>]*type="(?:hidden|search|submit)")/;
/** Handlebars may stand in an attribute, and contain `>` there. */
const FORM = /<form\b(?:\{\{.*?\}\}|[^>])*>[^]*?<\/form>/g;

const all = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.hbs'))
  .flatMap((file) => (read(file).match(FORM) ?? []).map((form) => ({ file, form })));

const forms = all
  .filter(({ form }) => form.includes('method="post"') && EDITABLE.test(withPartials(form)))
  .map(({ file, form }) => ({
    form,
    name: `${file} ${/ action="([^"]*)"/.exec(form)?.[1] ?? ''}`,
  }));

describe('forms of pages', () => {
  it('a form with a password is sent by POST, never in an address', () => {
    const withPassword = all.filter(({ form }) => withPartials(form).includes('type="password"'));
    expect(withPassword.length).toBeGreaterThan(3);
    expect(withPassword.filter(({ form }) => !form.includes('method="post"'))).toEqual([]);
  });

  it('a form sends what it showed, unless it is a single action', () => {
    const others = forms.filter((form) => !isCompared(form)).map(({ name }) => name);
    expect([...new Set(others)].sort()).toEqual(Object.keys(SINGLE_ACTIONS).sort());
  });
});

/** A template with the partials that it includes. */
function withPartials(template: string): string {
  return template.replaceAll(/\{\{#?> *(\w+)[^}]*\}\}/g, (_, name: string) =>
    read(`partials/${name}.hbs`),
  );
}

/** What the form showed of members (`baseOf`), or a version: either is compared by the change. */
function isCompared({ form }: { readonly form: string }): boolean {
  return /name="(?:base|version)" value="\{\{/.test(form);
}

function read(file: string): string {
  return readFileSync(`${VIEWS}/${file}`, 'utf8');
}

/** Forms whose fields change nothing that others could have changed since the page was shown. */
const SINGLE_ACTIONS: Readonly<Record<string, string>> = {
  'account.hbs /console/account/keys': 'adds a key',
  'accounts.hbs /console/accounts': 'creates an account',
  'application-keys.hbs {{address}}': 'issues a key',
  'bulk-preview.hbs /userapi/bulk': 'disables, enables or deletes',
  'change-list-keys.hbs {{@root.address}}/start': 'disables or enables',
  'collisions.hbs /userapi/collisions/form': 'links two users',
  'delete-list.hbs {{address}}/similar': 'leads to a list',
  'delete-list.hbs {{address}}/start': 'deletes',
  'delete-list.hbs {{action}}&amp;formToken={{@root.formToken}}': 'uploads a list',
  'demo.hbs ': 'is sent by its script alone',
  'docs-operation.hbs ': 'is sent by its script alone',
  'invite-list.hbs {{address}}': 'makes invitations',
  'invoice.hbs /userapi/invoices': 'stores an invoice, once',
  'invoice.hbs /userapi/invoices/{{sheet.number}}/cancellation': 'cancels an invoice, once',
  'metadata.hbs {{action}}&amp;formToken={{@root.formToken}}': 'uploads metadata with a number',
  'model.hbs {{address}}/disable': 'disables keys',
  'model.hbs {{address}}/invite': 'makes invitations',
  'models.hbs /userapi/aaguid/add': 'adds a model',
  'oidc-clients.hbs {{address}}': 'adds a client',
  'one-account.hbs {{row.address}}/_reset': 'gives a new first access',
  'partials/finding_decision_forms.hbs /findings/decision': 'decides about a finding',
  'partials/invitations.hbs /userapi/user/invitations': 'makes an invitation',
  'partials/own_password.hbs /console/account/password': 'names the present password',
  'setup.hbs /console/setup': 'opens a link',
  'setup.hbs /console/setup/finish': 'uses a link, once',
  'sign-in.hbs /console/sign-in': 'signs in',
  'tenant.hbs {{address}}': 'adds a relying party',
  'tenants.hbs /tenants': 'creates a tenant',
  'user.hbs /userapi/user': 'disables, enables or deletes',
  'user.hbs /userapi/user/erasure': 'erases',
  'user.hbs /userapi/user/suspension': 'suspends',
  'users.hbs /userapi/bulk/preview': 'changes nothing yet',
  'webhooks.hbs {{address}}': 'adds a webhook',
};

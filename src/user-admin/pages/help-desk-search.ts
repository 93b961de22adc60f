import { Injectable } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { EventLog } from '../../events/event-log.js';
import { explain } from '../../events/refusal-explanation.js';
import { may } from '../../platform/access/permissions.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Database } from '../../platform/database/database.js';
import { bytesOfMapKey, mapKey } from '../../platform/database/row-ids.js';
import { CATALOGUE } from '../../platform/errors/catalogue.js';
import { requestIdIn } from '../../platform/http/request-id.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import {
  MAX_MATCHES,
  SearchFinders,
  type FoundMatches,
  type SearchRequest,
} from '../../platform/pages/search-finders.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { credentialHashOf } from '../../users/credentials/credential-reader.js';
import { OWNERS_OF_HASH } from '../../users/credentials/credential.statements.js';
import { NameSearch } from '../../users/search/name-search.js';
import { SimilarNames } from '../../users/search/similar-names.js';
import type { FoundUser } from '../../users/user-rows.js';
import { auditAddress, explainAddress, queryOf, userAddress } from './page-frame.js';

/** `E0034R`, or a part of it as users read it out. */
const CODE = /^E?(\d{4})R?$/i;
/** Base64URL of 16 bytes and more, as authenticators make them: shorter texts are names. */
const CREDENTIAL_ID = /^[\w-]{22,}$/;
const RELYING_PARTIES_PER_STATEMENT = 100;
/** Users of a page wait longer than programs. */
const BUDGET_MS = 400;

/** Finds what users of the help desk are asked about. */
@Injectable()
export class HelpDeskSearch {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly log: EventLog,
    private readonly audit: AuditReader,
    private readonly database: Database,
    private readonly names: NameSearch,
    private readonly similar: SimilarNames,
    finders: SearchFinders,
  ) {
    finders.register({
      kind: 'requests',
      permission: 'events:read',
      find: (request) => this.requests(request),
    });
    finders.register({ kind: 'codes', permission: 'events:read', find: codes });
    finders.register({
      kind: 'keys',
      permission: 'users:read',
      find: (request) => this.keys(request),
    });
    finders.register({
      kind: 'users',
      permission: 'users:read',
      find: (request) => this.users(request),
    });
  }

  /** A sign-in or a registration by the ID of its request, with its explanation; or a change, with its audit rows. */
  private async requests({ text, account, turn }: SearchRequest): Promise<FoundMatches> {
    const id = requestIdIn(text);
    if (id === undefined) return { matches: [] };
    const events = await turn(() => this.log.ofRequest(id));
    const visible = this.relyingParties.visibleTo(account);
    const seen = events.find((event) => visible.some((rp) => rp.id.equals(event.relyingPartyId)));
    const title = phrase('search:request', { id });
    if (seen) {
      const detail = seen.username === '' ? undefined : seen.username;
      return { matches: [{ title, address: explainAddress(id), detail }] };
    }
    if (!may(account, 'audit:read')) return { matches: [] };
    const { rows } = await this.audit.find(account, { requestId: id, limit: 1 });
    return {
      matches: rows.map(({ action }) => ({ title, address: auditAddress(id), detail: action })),
    };
  }

  /** The users of a key, by its credential ID. */
  private async keys({ text, account, turn }: SearchRequest): Promise<FoundMatches> {
    if (!CREDENTIAL_ID.test(text)) return { matches: [] };
    const credentialHash = credentialHashOf(Buffer.from(text, 'base64url'));
    const domains = new Map(
      this.relyingParties.visibleTo(account).map(({ id, domain }) => [mapKey(id), domain]),
    );
    const matches = [];
    for (const part of splitIntoParts([...domains.keys()], RELYING_PARTIES_PER_STATEMENT)) {
      const ids = part.map(bytesOfMapKey);
      const rows = await turn(() => this.database.query(OWNERS_OF_HASH, { ids, credentialHash }));
      for (const { relyingPartyId, username, deviceName } of rows) {
        const domain = domains.get(mapKey(relyingPartyId)) ?? '';
        const name = username.toString('utf8');
        matches.push({
          title: name,
          address: userAddress(name, domain),
          detail: phrase('search:key', { deviceName, domain }),
        });
      }
    }
    return { matches };
  }

  /** Users by words of their names and, if there are none, those with similar names. */
  private async users({ text, account, turn }: SearchRequest): Promise<FoundMatches> {
    const rps = this.relyingParties.visibleTo(account);
    const span = { limit: MAX_MATCHES, turn };
    const { users, more } = await this.names.find(rps, text, { ...span, budgetMs: BUDGET_MS });
    const areSimilar = users.length === 0;
    const found = areSimilar ? await this.similar.find(rps, text, span) : users;
    return {
      matches: found.map(matchOf),
      more: more ? `/userapi${queryOf({ filter: text })}` : undefined,
      areSimilar,
      arePart: areSimilar && found.length === MAX_MATCHES,
    };
  }
}

/** An error code, with the latest refusals. */
function codes({ text }: SearchRequest): FoundMatches {
  const code = `E${CODE.exec(text)?.[1]}R`;
  if (!Object.hasOwn(CATALOGUE, code)) return { matches: [] };
  const address = `/userapi/explain${queryOf({ code })}`;
  return { matches: [{ title: code, address, detail: explain(code).reason }] };
}

const matchOf = ({ username, displayName, relyingParty: { domain } }: FoundUser) => ({
  title: username,
  address: userAddress(username, domain),
  detail: displayName === username ? domain : phrase('search:user', { displayName, domain }),
});

import { Get, Query } from '@nestjs/common';
import { profileOf } from '../../../tenancy/policy/rules-for.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { GroupsInForce } from '../../../users/moves/groups-in-force.js';
import { UsersByName } from '../../../users/users-by-name.js';
import { NameSearch } from '../../../users/search/name-search.js';
import {
  takeTurn,
  readTurnOf,
  type Reader,
  type ReadTurn,
} from '../../../platform/common/turns/read-turns.js';
import { CurrentReader } from '../../../platform/access/limits/current-reader.js';
import { Clock } from '../../../platform/common/clock.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { EventLog, positionAtEndOf, type RecordedEvent } from '../../../events/event-log.js';
import { REFUSALS } from '../../../events/event.answer.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { brokenRuleIn } from '../../../platform/errors/reasons.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { normalizeName } from '../../../platform/validation/values/names.js';
import { may } from '../../../platform/access/permissions.js';
import { isWithoutKey } from '../../../events/refusal-explanation.js';
import { PageParties } from '../page-parties.js';
import { ExplainQuery } from '../pages.dto.js';
import { MINUTE_MS, DAY_MS } from '../../../platform/common/durations.js';
import { mapKey } from '../../../platform/database/row-ids.js';
import { NoKeyHelps } from './no-key-helps.js';
import {
  explainPage,
  type ExplainSearch,
  type LocatedEvent,
  type SearchedBy,
} from './explain.view.js';

const EVENTS_PER_PAGE = 100;
/** A reported "at ten" may be some minutes before or after. */
const AROUND_MS = 10 * MINUTE_MS;
/** The number of refusals shown without a search, and of users that are looked up by one name. */
const LATEST = 20;
const NAMESAKES = 5;
const MAX_OF_CODE = 1000;

/**
 * Explains why a user was refused. Finds refusals by the request ID or the code in an error message, by a
 * name, or by the approximate time.
 */
@PageController('userapi/explain', 'events:read')
export class ExplainController {
  constructor(
    private readonly parties: PageParties,
    private readonly log: EventLog,
    private readonly names: NameSearch,
    private readonly clock: Clock,
    private readonly helps: NoKeyHelps,
    private readonly users: UsersByName,
    private readonly groups: GroupsInForce,
  ) {}

  @Get()
  @Page('explain')
  async show(
    @Query(DtoPipe) query: ExplainQuery,
    @CurrentAccount() account: Account,
    @CurrentReader() reader: Reader,
  ) {
    const { requestId, request = requestId, name, code, at, rp: domain } = query;
    const choices = this.parties.choices(account, domain);
    const rps = this.parties.some(account, domain);
    const search = { request, name: name?.trim(), code, at };
    const { by, found } = await this.find(rps, search, reader);
    const located = await this.located(found.slice(0, EVENTS_PER_PAGE), account);
    const asked = { ...search, at: at ?? this.minute(), choices };
    return explainPage(account, asked, located, by);
  }

  /** Searches by the first of these parameters that is set, otherwise returns the latest refusals. */
  private async find(
    rps: readonly RelyingParty[],
    { request, name, code, at }: ExplainSearch,
    reader: Reader,
  ): Promise<{ by: SearchedBy; found: RecordedEvent[] }> {
    if (request) {
      return { by: 'request', found: await takeTurn(reader, () => this.log.ofRequest(request)) };
    }
    if (name) return { by: 'name', found: await takeTurn(reader, () => this.byName(rps, name)) };
    const turn = readTurnOf(reader);
    if (code) return { by: 'code', found: await this.latest(rps, turn, code) };
    if (at) return { by: 'time', found: await this.byTime(rps, Date.parse(`${at}Z`), turn) };
    return { by: 'latest', found: await this.latest(rps, turn) };
  }

  /** Refusals of the user name as it was claimed, and of users who have this name. */
  private async byName(rps: readonly RelyingParty[], name: string) {
    const { users } = await this.names.find(rps, name, { limit: NAMESAKES });
    const claims = [
      ...rps.map((rp) => ({ rp, username: name })),
      ...users.map(({ relyingParty: rp, username }) => ({ rp, username })),
    ].filter(({ username }, n) => n < rps.length || username !== name);
    const span = {
      from: 0,
      before: positionAtEndOf(this.clock.now() + MINUTE_MS),
      limit: EVENTS_PER_PAGE,
    };
    const found = await Promise.all(
      claims.map(({ rp, username }) => this.log.ofUser(rp, username, span)),
    );
    return newestOf(found).filter(({ kind }) => REFUSALS.has(kind));
  }

  private async byTime(rps: readonly RelyingParty[], at: number, turn: ReadTurn) {
    const before = positionAtEndOf(at + AROUND_MS + MINUTE_MS);
    const span = { from: at - AROUND_MS, before, limit: EVENTS_PER_PAGE };
    return newestOf(await Promise.all(rps.map((rp) => this.log.refusalsOf(rp, span, turn))));
  }

  /** @param code if set, only refusals with it, among the latest thousand of each relying party */
  private async latest(rps: readonly RelyingParty[], turn: ReadTurn, code?: string) {
    const now = this.clock.now();
    const limit = code === undefined ? LATEST : MAX_OF_CODE;
    const span = { from: now - DAY_MS, before: positionAtEndOf(now + MINUTE_MS), limit };
    const found = await Promise.all(rps.map((rp) => this.log.refusalsOf(rp, span, turn)));
    const wanted = newestOf(found).filter((event) => code === undefined || event.code === code);
    return wanted.slice(0, LATEST);
  }

  /**
   * Adds the relying party of each event and, for accounts that may read it, the present state of names that had no
   * key, and the profile that applies today to users whose key broke a rule; omits events that the account may not see.
   */
  private async located(
    events: readonly RecordedEvent[],
    account: Account,
  ): Promise<LocatedEvent[]> {
    const visible = new Map(this.parties.visible(account).map((rp) => [mapKey(rp.id), rp]));
    const seesUsers = may(account, 'users:read');
    const helps = new Map<string, ReturnType<NoKeyHelps['of']>>();
    const profiles = new Map<string, Promise<string | undefined>>();
    const located: LocatedEvent[] = [];
    for (const event of events) {
      const rp = visible.get(mapKey(event.relyingPartyId));
      if (!rp) continue;
      const place = `${rp.domain} ${event.username}`;
      const isHelped = seesUsers && isWithoutKey(event.detail) && event.username !== '';
      if (isHelped && (helps.has(place) || helps.size < LATEST)) {
        const help = helps.get(place) ?? this.helps.of(rp, event.username);
        helps.set(place, help);
        located.push({ event, rp, help: await help });
      } else {
        const profile = seesUsers ? await this.profileOf(event, rp, profiles) : undefined;
        located.push({ event, rp, profile });
      }
    }
    return located;
  }

  /**
   * The profile that applies today to the user whom a rule refused; `undefined` for none.
   *
   * @param known the profiles of at most `LATEST` users, which it completes
   */
  private profileOf(
    { username, code, detail }: RecordedEvent,
    rp: RelyingParty,
    known: Map<string, Promise<string | undefined>>,
  ): Promise<string | undefined> | undefined {
    const isByRule = brokenRuleIn(detail) !== undefined || code === 'E0031R';
    if (!isByRule || username === '') return undefined;
    const place = `${rp.domain} ${username}`;
    if (!known.has(place) && known.size < LATEST) {
      known.set(place, this.profileOfUser(rp, username));
    }
    return known.get(place);
  }

  private async profileOfUser(rp: RelyingParty, name: string): Promise<string | undefined> {
    if (rp.policy.profiles.length === 0) return undefined;
    const [user] = await this.users.find(rp, [normalizeName(name)]);
    if (!user) return undefined;
    const groups = await this.groups.ofUsers(rp, [user.id]);
    return profileOf(rp.policy, groups.get(mapKey(user.id)) ?? [])?.name;
  }

  /** The current time in the format of the form: UTC, to the minute. */
  private minute(): string {
    return new Date(this.clock.now()).toISOString().slice(0, 16);
  }
}

const newestOf = (found: readonly RecordedEvent[][]): RecordedEvent[] =>
  found.flat().sort((a, b) => b.at - a.at);

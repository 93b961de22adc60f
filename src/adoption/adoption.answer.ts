import { FAMILIES, type BrowserFamily } from '../events/ceremony-counts/ceremony-count.entity.js';
import { OkAnswer } from '../platform/http/ok.js';
import { ApiCount, ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { CurvePoint, ExpectedUsersView, MoveView, ProfileUsersView } from './users.answer.js';

class OutcomesView {
  @ApiCount({ example: 120 })
  readonly finished!: number;

  @ApiCount({ example: 4 })
  readonly refused!: number;
}

/** How many ceremonies were refused with one code. */
class RefusedView {
  @ApiProperty({ example: 'E0031R' })
  readonly errorCode!: string;

  @ApiCount({ example: 1 })
  readonly registrations!: number;

  @ApiCount({ example: 3 })
  readonly authentications!: number;
}

/** The ceremonies of the last seven days. */
export class CeremoniesView {
  @ApiProperty({ format: 'date-time' })
  readonly since!: string;

  @ApiProperty({ type: OutcomesView })
  readonly registrations!: OutcomesView;

  @ApiProperty({ type: OutcomesView })
  readonly authentications!: OutcomesView;

  @ApiProperty({
    type: [RefusedView],
    description: 'refused ceremonies by error code; sampled when there are very many',
  })
  readonly refusals!: readonly RefusedView[];
}

export class FunnelView {
  @ApiCount({ example: 140 })
  readonly begun!: number;

  @ApiCount({ example: 120 })
  readonly finished!: number;

  @ApiCount({
    example: 12,
    description: 'ceremonies whose prompt gave no key, if the page reports it (the SDK does)',
  })
  readonly givenUp!: number;

  @ApiCount({ example: 2, description: 'ceremonies that the server refused after the prompt' })
  readonly refused!: number;
}

/**
 * The steps that ceremonies of the last twelve weeks reached. Registrations and authentications have a
 * prompt. `autofill` waits in the list of a form, and `upgrades` are keys that the browser creates without
 * a prompt: most of these never end.
 */
class FunnelsView {
  @ApiProperty({ type: FunnelView })
  readonly registrations!: FunnelView;

  @ApiProperty({ type: FunnelView })
  readonly authentications!: FunnelView;

  @ApiProperty({ type: FunnelView })
  readonly autofill!: FunnelView;

  @ApiProperty({ type: FunnelView })
  readonly upgrades!: FunnelView;
}

/** How often prompts ended with one error of the browser. */
export class GivenUpView {
  @ApiProperty({
    example: 'NotAllowedError',
    description: 'name of the browser exception; "other" for any unknown name',
  })
  readonly error!: string;

  @ApiCount({ example: 9 })
  readonly registrations!: number;

  @ApiCount({ example: 31 })
  readonly authentications!: number;
}

/** The steps that ceremonies reached in a family of browsers. */
export class BrowserView {
  @ApiProperty({
    enum: FAMILIES,
    description: 'browser family; "backend" if an application called for the browser',
  })
  readonly browser!: BrowserFamily;

  @ApiProperty({ type: FunnelView })
  readonly registrations!: FunnelView;

  @ApiProperty({ type: FunnelView })
  readonly authentications!: FunnelView;

  @ApiProperty({
    type: [GivenUpView],
    description: 'errors with which prompts ended without a key',
  })
  readonly failures!: readonly GivenUpView[];
}

class KeysView {
  @ApiCount({ example: 300 })
  readonly total!: number;

  @ApiCount({ example: 220, description: 'number of keys that were the first key of their user' })
  readonly first!: number;

  @ApiCount({ example: 80, description: 'number of keys whose user already had a key' })
  readonly further!: number;

  @ApiCount({ example: 190, description: 'number of keys that can be synced or backed up' })
  readonly synced!: number;

  @ApiCount({ example: 110, description: 'number of keys that are bound to one device' })
  readonly bound!: number;

  @ApiProperty({
    description: 'whether all keys were counted; false: the figures are those of a sample',
  })
  readonly complete!: boolean;
}

/** Users whose sign-ins are never verified. */
class UnverifiedView {
  @ApiCount({ example: 12, description: 'number of users whose keys all have uvInitialized false' })
  readonly users!: number;

  @ApiProperty({
    description: 'whether all keys were examined; false: only the users of a sample were',
  })
  readonly complete!: boolean;
}

export class ModelView {
  @ApiProperty({ format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  readonly aaguid!: string;

  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5 Series' })
  readonly authenticatorName!: string | null;

  @ApiCount({ example: 42 })
  readonly keys!: number;

  @ApiCount({ example: 0, description: 'number of keys that can be synced' })
  readonly synced!: number;

  @ApiCount({ example: 42, description: 'number of keys that are bound to one device' })
  readonly bound!: number;

  @ApiCount({ example: 310, description: 'number of sign-ins in the last twelve weeks' })
  readonly signIns!: number;
}

/** The registrations of a week, how many of their keys still exist, and the steps that ceremonies reached. */
export class WeekView {
  @ApiProperty({ format: 'date', example: '2026-11-16', description: 'Monday of the week (UTC)' })
  readonly from!: string;

  @ApiCount({
    example: 30,
    description: 'number of registrations in the week, whether or not their keys still exist',
  })
  readonly registrations!: number;

  @ApiCount({ example: 28, description: 'number of keys registered in the week that still exist' })
  readonly kept!: number;

  @ApiCount({
    example: 22,
    description: 'number of these keys that were the first key of their user',
  })
  readonly first!: number;

  @ApiCount({ example: 8, description: 'number of these keys whose user already had a key' })
  readonly further!: number;

  @ApiCount({ example: 19, description: 'number of these keys that can be synced' })
  readonly synced!: number;

  @ApiCount({ example: 11, description: 'number of these keys that are bound to one device' })
  readonly bound!: number;

  @ApiProperty({ type: FunnelView })
  readonly begun!: FunnelView;

  @ApiProperty({ type: FunnelView })
  readonly signIns!: FunnelView;
}

/** Answer of GET /userapi/adoption. */
export class AdoptionAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly relyingParty!: string;

  @ApiProperty({ type: CeremoniesView })
  readonly ceremonies!: CeremoniesView;

  @ApiProperty({ type: FunnelsView })
  readonly funnel!: FunnelsView;

  @ApiProperty({
    type: [GivenUpView],
    description: 'errors with which prompts ended without a key in the last twelve weeks',
  })
  readonly givenUp!: readonly GivenUpView[];

  @ApiProperty({
    type: [BrowserView],
    description: 'figures by browser family for the last twelve weeks',
  })
  readonly browsers!: readonly BrowserView[];

  @ApiProperty({ type: ExpectedUsersView })
  readonly users!: ExpectedUsersView;

  @ApiPropertyOptional({
    type: [ProfileUsersView],
    description: 'the users of each profile of the policy; absent without profiles',
  })
  readonly profiles?: readonly ProfileUsersView[];

  @ApiProperty({
    type: [CurvePoint],
    description:
      'the users as they were at the end of each of the last 26 weeks, and now, oldest first; ' +
      'without weeks in which they were not counted',
  })
  readonly curve!: readonly CurvePoint[];

  @ApiProperty({
    format: 'date',
    example: '2026-10-03',
    description: 'first day of these weeks on which the users were counted (UTC)',
  })
  readonly knownSince!: string;

  @ApiProperty({ type: KeysView })
  readonly keys!: KeysView;

  @ApiProperty({ type: UnverifiedView })
  readonly unverified!: UnverifiedView;

  @ApiProperty({ type: [ModelView], description: 'models, most frequent first' })
  readonly models!: readonly ModelView[];

  @ApiProperty({ type: [WeekView], description: 'the last twelve weeks, oldest first' })
  readonly weeks!: readonly WeekView[];

  @ApiPropertyOptional({ type: MoveView })
  readonly move?: MoveView;
}

/** The figures alone. */
export type AdoptionView = Omit<AdoptionAnswer, keyof OkAnswer>;

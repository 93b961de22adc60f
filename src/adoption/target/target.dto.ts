import { ValidateIf } from 'class-validator';
import {
  IsOneText,
  IsWithin,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';
import { IsDay, dayOf } from '../../platform/validation/values/moment.js';

const hasShare = ({ share }: { readonly share?: unknown }): boolean => share !== undefined;

/** The form of a target; without a share it removes the target. */
export class TargetForm {
  @IsOneText(code('E0045R'))
  rp!: string;

  /** The version that the form showed. */
  @MayBeText(code('E0045R'))
  version?: string;

  @ValidateIf(hasShare)
  @ReadsNumber()
  @IsWithin(1, 100, code('E0045R'))
  share?: number;

  /** Milliseconds since 1970. */
  @ValidateIf(hasShare)
  @Reads(dayOf)
  @IsDay(code('E0045R'))
  by?: number;
}
